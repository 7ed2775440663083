// A guided tour, or a question to answer before looking. host: { step(key, at), leave(), reply(text), terms(), verdict() }

import { fill, make } from "./dom.js";
import { pressButton } from "./form.js";
import { explained } from "./glossary.js";
import { judged } from "./words.js";

export function lessonBox(host) {
  const el = make("div", "de-lesson"), text = make("div", "de-lesson-text"), buttons = make("div", "de-lesson-buttons");
  text.setAttribute("role", "status");
  el.append(text, buttons);
  let lesson = {}, openQuestion = null, shownKey = "";

  // -- a tour
  const back = pressButton("Back", "The step before", () => host.step(lesson.key, lesson.at - 1));
  const next = pressButton("Next", "The next step", () => {
    if (lesson.at + 1 < lesson.of) host.step(lesson.key, lesson.at + 1);
    else host.leave();
  }, "de-button de-primary");
  const leave = pressButton("×", "Leave the tour, keep what is shown (Esc)", host.leave, "de-close");

  // -- a question
  const reply = make("input", "de-reply"), hint = make("span", "de-note");
  Object.assign(reply, { type: "text", placeholder: "your prediction" });
  reply.setAttribute("aria-label", "Your prediction");
  const showMe = pressButton("Show me", "Shows the verdict and the subtrees", answer, "de-button de-primary");
  const close = pressButton("Close", "Close the question", host.leave);
  function answer() {
    const prediction = reply.value.trim();
    if (prediction) return host.reply(prediction);
    hint.textContent = "Say something first; a guess will do.";
    reply.focus();
  }
  reply.addEventListener("keydown", (event) => { if (event.key === "Enter") answer(); });
  el.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    host.leave();
    event.stopPropagation();
  });

  function show(now, headline) {
    const isOpen = now.kind === "ask" && now.reply === null, isAnswered = now.kind === "ask" && !isOpen;
    const key = JSON.stringify([now, isAnswered ? headline : ""]);
    lesson = now;
    el.hidden = !now.kind;
    if (openQuestion !== (isOpen ? now.question : null)) { // nothing of an earlier question stays
      openQuestion = isOpen ? now.question : null;
      reply.value = hint.textContent = "";
    }
    if (el.hidden || key === shownKey) return;
    shownKey = key;
    if (isOpen) showQuestion();
    else if (isAnswered) showJudgment(headline);
    else showStep();
  }
  function showStep() {
    text.replaceChildren(make("b", "", `${lesson.at + 1} of ${lesson.of} `), ...explained(lesson.text, host.terms()));
    back.disabled = lesson.at === 0;
    next.textContent = lesson.at + 1 < lesson.of ? "Next" : "Finish";
    fill(buttons, [back, next, leave]);
  }
  function showQuestion() {
    text.replaceChildren(make("b", "", "Predict first: "), ...explained(lesson.question, host.terms()));
    fill(buttons, [reply, showMe, hint]);
  }
  function showJudgment(headline) {
    const hadFocus = el.contains(el.getRootNode().activeElement);
    const verdict = judged(lesson.reply, lesson.expected, host.verdict());
    const words = { right: "That is right. ", wrong: "Not quite. ", "": "Compare: " }[verdict];
    text.replaceChildren(`You said “${lesson.reply}”. `, make("b", "", words), headline);
    fill(buttons, [close]);
    if (hadFocus) close.focus();
  }
  return { el, show };
}
