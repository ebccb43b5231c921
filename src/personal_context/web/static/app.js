// What htmx can't say by itself: whether the server still answers, and one key.
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

// "/" goes to the search box, as in most wikis.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    document.getElementById("q").focus();
  }
});
