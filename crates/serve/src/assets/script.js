// Live without a framework: when the server says that something changed, the page is fetched again and the parts that are
// marked `data-live` and differ are put in place. Focus, scroll and what is being typed stay.
(() => {
  "use strict";
  const root = document.documentElement;
  const stored = localStorage.getItem("sprag-theme");
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-switch]");
    if (!button) return;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("sprag-theme", root.dataset.theme);
  });

  // A choice in a filter is a question at once.
  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (form && form.dataset.auto !== undefined && event.target.tagName === "SELECT") form.requestSubmit();
  });

  // Keyboard: g and a letter leads to a screen, / to the search, ? to the list of keys.
  let leader = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (leader) {
      leader = false;
      const link = document.querySelector(`.nav a[data-key="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
    } else if (event.key === "g") {
      leader = true;
      setTimeout(() => { leader = false; }, 1200);
    } else if (event.key === "/") {
      const field = document.querySelector("[data-search]");
      if (field) { event.preventDefault(); field.focus(); field.select(); }
    }
  });

  const light = document.querySelector(".live");
  const say = (on, text) => {
    if (!light) return;
    on ? light.setAttribute("data-on", "") : light.removeAttribute("data-on");
    light.querySelector("span").textContent = text;
  };

  let running = false;
  let again = false;
  // What somebody types, or typed and did not send yet.
  const typing = (part) => {
    const field = document.activeElement;
    if (part.contains(field) && /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName)) return true;
    return [...part.querySelectorAll("input,textarea")].some((one) => one.value !== one.defaultValue);
  };
  async function update() {
    if (running) { again = true; return; }
    running = true;
    try {
      const answer = await fetch(location.href, { headers: { "x-sprag-part": "1" }, credentials: "same-origin" });
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const part of document.querySelectorAll("[data-live]")) {
          const other = fresh.getElementById(part.id);
          if (!other || typing(part) || part.innerHTML === other.innerHTML) continue;
          const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
          const open = [...part.querySelectorAll("details[open][id]")].map((one) => one.id);
          part.replaceChildren(...other.childNodes);
          for (const id of open) { const one = document.getElementById(id); if (one) one.open = true; }
          if (focused) part.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
        }
      }
    } catch { /* the next change tries again */ }
    running = false;
    if (again) { again = false; update(); }
  }

  if (document.body.dataset.stream !== undefined) {
    const source = new EventSource("/live");
    source.addEventListener("open", () => { say(true, "live"); update(); });
    source.addEventListener("error", () => say(false, "not connected"));
    source.addEventListener("changed", update);
    addEventListener("pagehide", () => source.close());
  }
})();
