// Repairs in Streamlit's own shell that style alone cannot make; they run whenever it draws anew.
function repair() {
  for (const node of document.querySelectorAll('.katex-display:not([tabindex])')) { // a long formula scrolls: keys must reach it
    node.tabIndex = 0;
    node.setAttribute('role', 'group');
    node.setAttribute('aria-label', 'Formula');
  }
  for (const node of document.querySelectorAll('[data-testid=stCode] pre:not([tabindex])')) node.tabIndex = 0;
  for (const node of document.querySelectorAll('[data-testid=stFileUploaderDropzone][role=presentation]')) node.setAttribute('role', 'group');
  let here;
  for (const a of document.querySelectorAll('.st-key-nav a')) { // Streamlit only shades the page of now: say it too
    const now = new URL(a.href, location.href).pathname === location.pathname;
    if (now) here = a;
    if (now !== a.hasAttribute('aria-current')) now ? a.setAttribute('aria-current', 'page') : a.removeAttribute('aria-current');
  }
  if (here && here !== shown) { // on a phone the row of pages is wider than the screen
    shown = here;
    const row = here.closest('.st-key-nav');
    row.scrollLeft += Math.max(0, here.getBoundingClientRect().right - row.getBoundingClientRect().right + 44);
  }
}

let shown;
let due = false;
const soon = () => {
  if (due) return;
  due = true;
  requestAnimationFrame(() => { due = false; repair(); });
};
new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
repair();

// A chart is as wide as the screen when it is drawn: on paper it shrinks to its place.
const PAPER = 640;
const SHEET = 400; // beside the question, on the sheet for a class
window.addEventListener('beforeprint', () => {
  for (const node of document.querySelectorAll('.sd-chart')) {
    node.style.zoom = Math.min(1, (node.closest('.sd-sheet') ? SHEET : PAPER) / Math.max(1, node.clientWidth));
  }
});
window.addEventListener('afterprint', () => {
  for (const node of document.querySelectorAll('.sd-chart')) node.style.zoom = '';
});
