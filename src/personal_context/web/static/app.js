// What htmx and the browser can't do by themselves: say whether the server still answers, a few
// keys, and copying. Without this file, everything else works.
"use strict";

const offline = document.getElementById("offline");

// No answer at all: the figures on the page are old until the next one comes.
document.addEventListener("htmx:error", () => {
  offline.hidden = false;
});

document.addEventListener("htmx:after:request", (event) => {
  offline.hidden = true;
  if (event.detail.ctx.response.status < 400) {
    document.getElementById("notice").replaceChildren();
  }
});

// "/" goes to the search box, as in most wikis; up and down go through the results.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const box = document.getElementById("q");
  const typing = event.target.closest("input, select, textarea, [contenteditable]");
  if (event.key === "/" && !typing && box) {
    event.preventDefault();
    box.focus();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [box, ...document.querySelectorAll(".hit h2 a")];
  const place = stops.indexOf(event.target);
  const next = step && place >= 0 && stops[place + step];
  if (next) {
    event.preventDefault();
    next.focus();
    next.closest(".hit")?.scrollIntoView({ block: "nearest" });
  }
});

// Copying needs a clipboard, which browsers give to https and to this machine only.
const told = document.getElementById("copied");

const fetched = async (address) => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
};

for (const button of document.querySelectorAll("[data-copy], [data-copy-text]")) {
  const { copy, copyText } = button.dataset;
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    const text = async () => {
      const found = copy ? await fetched(copy) : document.getElementById(copyText).textContent;
      return new Blob([found], { type: "text/plain" });
    };
    try {
      // A promise, because Safari forgets the click while the text is fetched.
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": text() })]);
      told.textContent = "Copied.";
    } catch {
      told.textContent = "It could not be copied. The text can be marked and copied by hand.";
    }
  });
}
