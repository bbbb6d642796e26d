// The words that lead to the glossary, and the glossary itself.

// One box for all words that lead to the glossary. It is shown on hover and focus and on the first
// tap, can be pointed at, and goes on Escape.
function tips() {
  if (window.hinterGloss) return;
  window.hinterGloss = true;
  const tip = document.createElement('div');
  tip.id = 'gloss-tip';
  tip.setAttribute('role', 'tooltip');
  tip.hidden = true;
  const words = document.createElement('span');
  const more = document.createElement('a');
  more.target = '_blank';
  more.rel = 'noopener';
  more.tabIndex = -1;
  tip.append(words, ' ', more);
  document.querySelector('.gradio-container').append(tip);
  let shown = null, timer = 0;
  const hide = () => {
    shown?.setAttribute('aria-describedby', 'new-tab');
    shown = null;
    tip.hidden = true;
  };
  const show = link => {
    clearTimeout(timer);
    if (shown === link) return;
    hide();
    shown = link;
    words.textContent = link.dataset.tip;
    more.textContent = link.dataset.more + ' \u2192';
    more.href = link.href;
    tip.hidden = false;
    link.setAttribute('aria-describedby', 'gloss-tip new-tab');
    const at = link.getClientRects()[0] || link.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    tip.style.left = Math.max(8, Math.min(at.left, room - tip.offsetWidth - 8)) + 'px';
    const below = at.bottom + 6, above = at.top - tip.offsetHeight - 6;
    tip.style.top = (below + tip.offsetHeight > innerHeight && above > 0 ? above : below) + 'px';
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(hide, 250); };
  const of = event => event.target.closest?.('a.gloss');
  document.addEventListener('pointerover', event => {
    if (event.pointerType === 'touch') return;
    if (of(event)) show(of(event));
    else if (tip.contains(event.target)) clearTimeout(timer);
    else if (shown && document.activeElement !== shown) later();
  });
  document.addEventListener('focusin', event => {
    if (of(event)) show(of(event)); else if (shown && !tip.contains(event.target)) hide();
  });
  document.addEventListener('click', event => {
    const link = of(event);
    if (link && event.pointerType === 'touch' && link.dataset.tapped !== 'yes') {
      event.preventDefault();
      show(link);
    } else if (!link && !tip.contains(event.target)) hide();
  }, true);
  document.addEventListener('keydown', event => { if (event.key === 'Escape') hide(); });
  document.addEventListener('scroll', () => { if (shown) hide(); }, {passive: true, capture: true});
}

// The glossary is searched in the page: an entry stays while all words typed occur in it.
function search(element) {
  element.addEventListener('input', event => {
    if (!event.target.matches('.gloss-search')) return;
    const wanted = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const entry of element.querySelectorAll('.gloss-entry')) {
      const text = entry.textContent.toLowerCase();
      entry.hidden = !wanted.every(word => text.includes(word));
      left += !entry.hidden;
    }
    const count = element.querySelector('.gloss-count');
    count.textContent = left ? count.dataset.count.replace('#', left) : count.dataset.none;
  });
  element.addEventListener('click', event => {
    const link = event.target.closest('[data-entry]');
    if (!link) return;
    event.preventDefault();
    const entry = element.querySelector('#glossary-' + link.dataset.entry);
    entry.parentElement.hidden = false;
    entry.focus({preventScroll: true});
    entry.scrollIntoView({block: 'center'});
  });
}
