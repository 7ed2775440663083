// Brings the card it stands in into view when Python asks. What is inside may grow for a moment after it is opened, and
// the page is only then long enough: so it is followed until it rests, or until the reader scrolls.
const FOLLOW = 1500;

function render({ model, el }) {
  el.classList.add("de-spot");
  let end = () => {};
  const show = () => {
    end();
    const card = el.closest(".de-card") ?? el;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const go = () => card.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
    const grown = new ResizeObserver(go);  // it also calls once at the beginning
    const events = ["wheel", "pointerdown", "keydown", "touchmove"];
    const timer = setTimeout(() => stop(), FOLLOW);
    const stop = () => {
      grown.disconnect();
      clearTimeout(timer);
      events.forEach((name) => removeEventListener(name, stop, true));
    };
    end = stop;
    events.forEach((name) => addEventListener(name, stop, { capture: true, passive: true }));
    grown.observe(card);
  };
  const heard = (message) => {
    if (message?.type !== "show") return;
    model.send({ type: "shown" });
    show();
  };
  model.on("msg:custom", heard);
  model.send({ type: "here" });  // Python may have asked before there was anything to show
  return () => { end(); model.off("msg:custom", heard); };
}

export default { initialize, render };
