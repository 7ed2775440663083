// A guided tour, or a question to answer before looking. host: { step(key, at), leave(), reply(text), terms(), verdict() }

import { make } from "./dom.js";
import { pressButton } from "./form.js";
import { explained } from "./glossary.js";
import { judged } from "./words.js";

export function lessonBox(host) {
  const el = make("div", "de-lesson"), text = make("div", "de-lesson-text"), buttons = make("div", "de-lesson-buttons"), reply = make("input", "de-reply"), hint = make("span", "de-note");
  text.setAttribute("role", "status");
  Object.assign(reply, { type: "text", placeholder: "your prediction" });
  reply.setAttribute("aria-label", "Your prediction");
  let lesson = {};
  const back = pressButton("Back", "The step before", () => host.step(lesson.key, lesson.at - 1)), next = pressButton("Next", "The next step", () => (lesson.at + 1 < lesson.of ? host.step(lesson.key, lesson.at + 1) : host.leave()), "de-button de-primary");
  const leave = pressButton("×", "Leave the tour, keep what is shown (Esc)", host.leave, "de-close"), done = pressButton("Close", "Close the question", host.leave);
  const told = () => {
    if (reply.value.trim()) return host.reply(reply.value.trim());
    hint.textContent = "Say something first; a guess will do.";
    reply.focus();
  };
  const show_me = pressButton("Show me", "Shows the verdict and the subtrees", told, "de-button de-primary");
  reply.addEventListener("keydown", (event) => { if (event.key === "Enter") told(); });
  el.addEventListener("keydown", (event) => { if (event.key === "Escape") { host.leave(); event.stopPropagation(); } });
  el.append(text, buttons);
  let before = "";

  function show(now, headline) {
    lesson = now;
    el.hidden = !now.kind;
    const key = JSON.stringify([now, headline]);
    if (el.hidden || key === before) return;
    before = key;
    if (now.kind === "tour") {
      text.replaceChildren(make("b", "", `${now.at + 1} of ${now.of} `), ...explained(now.text, host.terms()));
      back.disabled = now.at === 0;
      next.textContent = now.at + 1 < now.of ? "Next" : "Finish";
      buttons.replaceChildren(back, next, leave);
    } else if (now.reply === null) {
      text.replaceChildren(make("b", "", "Predict first: "), ...explained(now.question, host.terms()));
      buttons.replaceChildren(reply, show_me, hint);
    } else {
      const right = judged(now.reply, now.expected, host.verdict());
      const words = { right: "That is right. ", wrong: "Not quite. ", "": "Compare: " }[right];
      text.replaceChildren(`You said “${now.reply}”. `, make("b", "", words), headline);
      buttons.replaceChildren(done);
    }
  }
  return { el, show };
}
