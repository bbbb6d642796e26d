// What the Models tab does in the browser itself.

// A button of the table was pressed. The table is drawn anew after each, so the focus is given back
// to the same model's row for those who use a keyboard.
function table(element, trigger) {
  let held = '';
  element.addEventListener('click', event => {
    const button = event.target.closest('[data-act]');
    if (!button) return;
    held = button.dataset.model;
    trigger('select', {act: button.dataset.act, model: held});
    if (button.dataset.act !== 'try') return;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const box = document.querySelector('#try-text textarea');
    box?.focus({preventScroll: true});
    box?.scrollIntoView({block: 'center', behavior: calm ? 'auto' : 'smooth'});
    held = '';
  });
  element.addEventListener('focusin', event => { held = event.target.dataset.model || ''; });
  document.addEventListener('pointerdown', event => {
    if (!element.contains(event.target)) held = '';
  });
  new MutationObserver(() => {
    if (!held || document.activeElement !== document.body) return;
    const buttons = [...element.querySelectorAll('[data-act]')];
    buttons.find(button => button.dataset.model === held)?.focus({preventScroll: true});
  }).observe(element, {childList: true, subtree: true});
}

// The button beside a model's name copies it.
function copyName(element) {
  element.addEventListener('click', async event => {
    const button = event.target.closest('.copy-name');
    if (!button) return;
    const name = element.querySelector('.model-name').textContent;
    try { await navigator.clipboard.writeText(name); button.textContent = button.dataset.copied; }
    catch { button.textContent = button.dataset.uncopied; }
  });
}
