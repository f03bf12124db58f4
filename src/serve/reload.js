// Added to each page by `clientbook serve` only: reloads it after a change, and shows errors in it.
"use strict";
{
  let version = null;
  const show = (text) => {
    document.getElementById("clientbook-errors")?.remove();
    if (text === null) return;
    const panel = document.createElement("section");
    panel.id = "clientbook-errors";
    panel.setAttribute("role", "alert");
    const heading = document.createElement("h2");
    heading.textContent = "The last change has errors; the last good page stays";
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Hide";
    close.addEventListener("click", () => panel.remove());
    const body = document.createElement("pre");
    body.tabIndex = 0;
    body.textContent = text;
    panel.append(heading, close, body);
    document.body.append(panel);
  };
  const events = new EventSource("/__clientbook/events");
  events.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    if (version === null) version = state.version;
    if (version === state.version) return show(state.errors);
    if (state.errors === null) return location.reload();
    // A page that is reloaded with errors would only lose its place.
    version = state.version;
    show(state.errors);
  });
  addEventListener("pagehide", () => events.close());
}
