"""What the Learn tab and the glossary's links do in the browser itself."""

from __future__ import annotations

# One box for all words that lead to the glossary. It is shown on hover and focus and on the first
# tap, can be pointed at, and goes on Escape.
GLOSS_JS = """
if (!window.hinterGloss) {
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
    shown?.removeAttribute('aria-describedby');
    shown = null;
    tip.hidden = true;
  };
  const show = link => {
    clearTimeout(timer);
    if (shown === link) return;
    hide();
    shown = link;
    words.textContent = link.dataset.tip;
    more.textContent = link.dataset.more + ' \\u2192';
    more.href = link.href;
    tip.hidden = false;
    link.setAttribute('aria-describedby', 'gloss-tip');
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
"""

# Everything that can be pressed or chosen says in its data what it asks for. In a class, a guess
# goes to the class as well, without a place in the queue, and is tried again where that fails.
ACT_JS = """
const device = () => {
  let own = null;
  try {
    own = localStorage.getItem('hinter-device');
    if (!own) {
      own = [...crypto.getRandomValues(new Uint8Array(12))]
        .map(x => x.toString(16).padStart(2, '0')).join('');
      localStorage.setItem('hinter-device', own);
    }
  } catch { own = own || ''; }
  return own;
};
const count = async (data, told) => {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      const answer = await server.count_guess([data.code, device(), data.question, data.choice,
                                               data.lang]);
      if (told) told.textContent = answer;
      return;
    } catch { await new Promise(done => setTimeout(done, 400 * 2 ** attempt)); }
  }
  if (told) told.textContent = told.dataset.failed;
};
element.addEventListener('click', event => {
  const copy = event.target.closest('.copy-link');
  if (copy) {
    const link = copy.parentElement.querySelector('a.share');
    navigator.clipboard.writeText(link.href).then(
      () => { copy.textContent = copy.dataset.copied; },
      () => { copy.textContent = copy.dataset.uncopied; });
    return;
  }
  const button = event.target.closest('button[data-act]');
  if (!button) return;
  if (button.dataset.act === 'join') {
    trigger('select', {act: 'join', code: element.querySelector('.join-code').value});
    return;
  }
  element.dataset.pressed = button.dataset.act;
  if (button.dataset.act === 'guess') {
    for (const other of button.parentElement.querySelectorAll('button'))
      other.setAttribute('aria-pressed', other === button ? 'true' : 'false');
    if (button.dataset.code) count(button.dataset, element.querySelector('.class-told'));
  }
  trigger('select', {...button.dataset});
});
element.addEventListener('keydown', event => {
  if (event.key === 'Enter' && event.target.matches('.join-code')) {
    event.preventDefault();
    element.querySelector('[data-act=join]').click();
  }
});
element.addEventListener('change', event => {
  if (event.target.matches('select[data-act=language]'))
    trigger('select', {act: 'language', language: event.target.value});
  else if (event.target.matches('select[data-act=word]')) {
    const words = [...event.target.closest('.sentence').querySelectorAll('select')];
    trigger('select', {...event.target.dataset, words: words.map(menu => menu.value)});
  }
});
"""

# What changes here is read out to those who listen.
LIVE_JS = "element.setAttribute('aria-live', 'polite');"

# A form whose every change is told: the teacher's builder of links.
FORM_JS = """
const tell = () => {
  const values = {act: 'link', attributes: [], models: []};
  for (const field of element.querySelectorAll('[name]')) {
    if (field.type === 'checkbox') { if (field.checked) values[field.name].push(field.value); }
    else values[field.name] = field.value;
  }
  trigger('select', values);
};
let waiting = 0;
element.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(tell, 250);
});
"""

# The glossary is searched in the page: an entry stays while all words typed occur in it.
SEARCH_JS = """
element.addEventListener('input', event => {
  if (!event.target.matches('.gloss-search')) return;
  const wanted = event.target.value.toLowerCase().split(/\\s+/).filter(Boolean);
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
"""

# After a move the heading of what is shown has the focus, and the address opens the same again.
MOVED_JS = """(query) => {
  if (query) history.replaceState(null, '', query);
  requestAnimationFrame(() => {
    for (const link of document.querySelectorAll('#learn a.full')) link.textContent = link.href;
    const shown = [...document.querySelectorAll('#learn h2[tabindex], #learn .chosen dt')]
      .filter(heading => heading.offsetParent);
    const heading = shown.find(one => one.closest('.chosen')) || shown[0];
    if (!heading) return;
    heading.focus({preventScroll: true});
    const top = document.querySelector('#learn').getBoundingClientRect().top;
    if (heading.closest('.chosen')) heading.scrollIntoView({block: 'center'});
    else if (top < 0 || top > innerHeight / 2) scrollBy({top: top - 12});
  });
}"""

# A page that was opened by a link to an entry shows it.
ARRIVED_JS = """() => {
  requestAnimationFrame(() => {
    for (const link of document.querySelectorAll('#learn a.full')) link.textContent = link.href;
    const entry = document.querySelector('#learn .chosen dt');
    if (!entry || !entry.offsetParent) return;
    entry.focus({preventScroll: true});
    entry.scrollIntoView({block: 'center'});
  });
}"""

# A class was opened or changed: the keyboard goes on at the button that was pressed, or at the top.
TAUGHT_JS = """(query) => {
  if (query) history.replaceState(null, '', query);
  requestAnimationFrame(() => {
    for (const link of document.querySelectorAll('#learn a.full')) link.textContent = link.href;
    const room = document.querySelector('#learn-class');
    const pressed = document.querySelector(`#learn-class [data-act="${
      document.querySelector('#learn-class [data-pressed]')?.dataset.pressed}"]`);
    (pressed || room.querySelector('h3[tabindex]'))?.focus({preventScroll: true});
  });
}"""

# Links that are to be copied by hand are shown in full.
FULL_JS = """() => requestAnimationFrame(() => {
  for (const link of document.querySelectorAll('#learn a.full')) link.textContent = link.href;
});"""
