// What the page does around the tabs, and what several tabs do alike.

// The keyboard goes on in the tab that is open, past the heading and the row of tabs.
function skip(element) {
  element.addEventListener('click', event => {
    if (!event.target.matches('.skip')) return;
    event.preventDefault();
    const tabs = document.querySelectorAll('.main-tabs > [role=tabpanel]');
    const open = [...tabs].find(tab => tab.offsetParent);
    if (!open) return;
    open.tabIndex = -1;
    open.focus();
  });
}

// A press on the name of a language shows the page in it, and so it is opened from then on.
function language(element) {
  element.addEventListener('click', event => {
    const link = event.target.closest('.language');
    if (!link) return;
    event.preventDefault();
    document.cookie = `hinter-language=${link.lang}; path=/; max-age=31536000; SameSite=Lax`;
    const address = new URL(location.href);
    address.searchParams.delete('lang');
    // A frame may have no cookies, and a page has the browser's language where nothing says another.
    const others = !/^en\b/.test(navigator.languages[0] ?? 'en');
    if (link.lang !== 'en' || others) address.searchParams.set('lang', link.lang);
    history.replaceState(history.state, '', address);
    location.reload();
  });
}

// A tab that is open and stays empty is asked for again: the browser lost the event, or its answer.
function opens(element, trigger) {
  const name = element.closest('[id^=opens-]').id.slice('opens-'.length);
  let empty = 0;
  setInterval(() => {
    const room = document.getElementById(`room-${name}`);
    empty = room?.checkVisibility() && !room.querySelector('h2') ? empty + 1 : 0;
    if (empty && empty % 5 === 0) trigger('select', {});
  }, 1000);
}

// The keyboard stays where its user was: what had the focus may be hidden or replaced by its own
// click. Then the same widget has it, else what is in its place in the nearest box that is still
// there, else the tab that was opened. What is switched off for a while gets it back.
function focus() {
  const all = 'a[href], button, input, textarea, select, summary, [tabindex="0"]';
  const seen = one => one.isConnected && one.checkVisibility({visibilityProperty: true});
  const usable = one => seen(one) && !one.disabled;
  const within = box => [...box.querySelectorAll(all)].filter(one => one.tabIndex >= 0 && usable(one));
  const on = (one, calm) => {
    if (!one.matches(all)) one.tabIndex = -1;
    one.focus({preventScroll: calm});
  };
  let last = null, path = [], waits = null;
  document.addEventListener('focusin', event => {
    if (event.target === waits) return;
    [last, path, waits] = [event.target, [], null];
    for (let box = last.parentElement; box && box !== document.body; box = box.parentElement)
      path.push({box, place: path.length < 5 ? within(box).indexOf(last) : 0});
  });
  const move = () => {
    const here = document.activeElement;
    if (!last || (here && here !== document.body && here !== waits && usable(here))) return;
    if (usable(last)) { if (here && here === waits) last.focus({preventScroll: true}); return; }
    const open = [...document.querySelectorAll('.main-tabs > [role=tabpanel]')].find(seen);
    if (seen(last)) { if (here !== waits) on(waits = path[0].box, true); return; }
    const same = last.id && document.getElementById(last.id);
    if (same && usable(same)) { on(same, true); return; }
    for (const {box, place} of path.some(one => one.box === open) ? path : []) {
      const there = seen(box) ? within(box) : [];
      if (there.length) { on(there[Math.min(Math.max(place, 0), there.length - 1)], true); return; }
    }
    if (open) on(open, false);
  };
  let waiting = 0;
  // Not at once: to ask what is seen is to style the whole page, which a tab that is drawn changes often.
  new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(move, 60);
  }).observe(document.body, {
    subtree: true, childList: true, attributeFilter: ['class', 'style', 'disabled', 'hidden'],
  });
}

// What is wrong after a press of a button is shown, wherever on the page it stands; a button that
// keeps to the edge of the window would seem dead.
function faults() {
  let until = 0;
  document.addEventListener('click', event => {
    if (event.target.closest('button')) until = performance.now() + 20000;
  }, true);
  const show = note => {
    const {top, bottom} = note.getBoundingClientRect();
    if (note.checkVisibility() && (bottom < 40 || top > innerHeight - 60))
      note.scrollIntoView({block: 'center'});
  };
  new MutationObserver(changes => {
    if (performance.now() > until) return;
    for (const {addedNodes} of changes)
      for (const node of addedNodes) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        const note = node.matches('.notice.error') ? node : node.querySelector('.notice.error');
        if (note) { until = 0; requestAnimationFrame(() => show(note)); return; }
      }
  }).observe(document.body, {childList: true, subtree: true});
}

// The Tab key closes a list: gradio 6.31 would open it again behind the keyboard, and the browser
// would stop in a list that is long enough to scroll.
function lists() {
  document.addEventListener('keydown', event => {
    if (event.key !== 'Tab' || event.target.getAttribute?.('role') !== 'combobox') return;
    event.stopPropagation();
    for (const list of document.querySelectorAll('[role=listbox]')) list.tabIndex = -1;
  }, true);
}

// The Tab key leaves an editor as it leaves any other field, in which gradio 6.31 would indent a line
// without end. An editor is called as the label above it says, and is known to be reached by keyboard.
function editors() {
  const inside = event => event.target.closest?.('.cm-content');
  document.addEventListener('keydown', event => {
    if (event.key === 'Tab' && inside(event)) event.stopPropagation();
  }, true);
  document.addEventListener('focusin', event => {
    const name = inside(event)?.closest('.block')?.querySelector('label')?.textContent.trim();
    if (name) inside(event).setAttribute('aria-label', name);
  });
  const drawn = document.getElementsByClassName('cm-content');
  const reached = () => { for (const one of drawn) one.tabIndex = 0; };
  new MutationObserver(reached).observe(document.body, {childList: true, subtree: true});
}

// gradio 6.31 makes each radio button a group of its own, in which arrow keys do nothing. It names no
// group of choices, and of what takes a choice away it says the number alone.
function names() {
  const groups = document.getElementsByTagName('fieldset');
  const removals = document.getElementsByClassName('token-remove');
  const label = one => one.closest('.block')?.querySelector('[data-testid=block-info]');
  const name = () => {
    for (const group of groups) {
      const [first, ...others] = group.querySelectorAll('input[type=radio]');
      for (const one of others) if (one.name !== first.name) one.name = first.name;
      const title = label(group);
      if (!title || title.id) continue;
      title.id = `${group.id}-label`;
      group.setAttribute('aria-labelledby', title.id);
    }
    for (const one of removals) {
      one.verb ??= one.title.replace(/ \d+$/, '');
      const words = `${one.verb} ${(one.closest('.token') ?? label(one)).textContent.trim()}`;
      if (one.title !== words) one.title = words;
    }
  };
  // It names them anew at each choice.
  const attributeFilter = ['name', 'title'];
  new MutationObserver(name).observe(document.body, {childList: true, subtree: true, attributeFilter});
}

// A plot fits its box when it comes into view, too: plotly follows the window alone, and that only
// while the plot is seen. A phone may be turned, or a window made smaller, in front of another tab.
function plots() {
  const unfit = ({target, contentRect: {width}}) => {
    const drawn = target.querySelector('.main-svg')?.getBoundingClientRect().width;
    return width && drawn && Math.abs(drawn - width) > 1;
  };
  const boxes = new ResizeObserver(seen => {
    if (seen.some(unfit)) dispatchEvent(new Event('resize'));
  });
  const drawn = document.getElementsByClassName('js-plotly-plot');
  const watch = () => { for (const one of drawn) boxes.observe(one); };
  new MutationObserver(watch).observe(document.body, {childList: true, subtree: true});
}

// Before any other script. gradio 6.31 takes the sign that the page loads away without a word to its
// clock, which then goes on for ever: a seventh of a core in every open page.
function clock() {
  const next = window.requestAnimationFrame.bind(window);
  let ticking = false;
  window.requestAnimationFrame = step => {
    const loads = !document.querySelector('.contain');
    if (!ticking && !(loads && /performance\.now\(\)/.test(step))) return next(step);
    const tick = time => {
      ticking = true;
      try { step(time); } finally { ticking = false; }
    };
    return loads ? next(tick) : 0;
  };
}

// Before any other script. gradio 6.31 closes the stream of its answers as soon as nothing is asked.
// What is asked at that moment stayed without an answer, since the stream still counted as open; what
// was answered before gradio knew its number came after newer answers. So the stream goes on until no
// question is left, and each answer waits until the page knows which question it belongs to.
function stream() {
  const ask = window.fetch.bind(window), asked = new Set(), bytes = new TextEncoder();
  const end = 'data: {"msg":"close_stream"}', over = ['unexpected_error', 'broken_connection'];
  let sent = 0, known, tell;
  const renew = () => { known = new Promise(done => { tell = done; }); };
  const question = async (...given) => {
    sent += 1;
    const read = id => { sent -= 1; if (id) asked.add(id); tell(); renew(); };
    try {
      const reply = await ask(...given), answer = await reply.json();
      // gradio goes on at once with what it reads.
      reply.json = async () => { setTimeout(read, 0, reply.ok && answer.event_id); return answer; };
      return reply;
    } catch (error) {
      read();
      throw error;
    }
  };
  async function* answers(request, reply) {
    for (; reply.ok; reply = await ask(request.clone())) {
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = '', read = {}; !(read = await reader.read()).done;) {
        const parts = (rest + read.value).split('\n\n');
        rest = parts.pop();
        for (const part of parts) {
          const {msg, event_id: id} = JSON.parse(part.slice('data: '.length));
          if (msg === 'close_stream') continue;
          while (id && !asked.has(id) && sent) await known;
          if (msg === 'process_completed') asked.delete(id);
          if (over.includes(msg)) asked.clear();
          yield part;
        }
      }
      while (sent) await known;
      if (!asked.size) break;
    }
    yield end;
  }
  const stream = async request => {
    const reply = await ask(request.clone()), parts = answers(request, reply);
    if (!reply.ok) return reply;
    const broken = error => { asked.clear(); throw error; };  // gradio gives all of them up
    const pull = async body => {
      const {done, value} = await parts.next().catch(broken);
      if (done) body.close(); else body.enqueue(bytes.encode(`${value}\n\n`));
    };
    return new Response(new ReadableStream({pull, cancel: () => parts.return()}), reply);
  };
  renew();
  window.fetch = (...given) => {
    const path = new URL(given[0].url ?? given[0], document.baseURI).pathname;
    if (path.endsWith('/queue/join')) return question(...given);
    return path.endsWith('/queue/data') ? stream(new Request(...given)) : ask(...given);
  };
}

// Before any other script. gradio would show its own texts in the browser's language, not the page's.
function speak() {
  Object.defineProperty(navigator, 'language', {value: document.documentElement.lang});
}

// Before any module is asked for: gradio's modules and styles of the first view are here already.
// `place` stands in them for the address of gradio's files.
function frontend(place, modules, styles) {
  if (!HTMLScriptElement.supports?.('importmap')) return;
  const base = new URL('./assets/', document.baseURI).href, imports = {};
  // gradio asks for no file to which the page has a link.
  const linked = (name, rel) => {
    const link = Object.assign(document.createElement('link'), {rel, disabled: true, href: base + name});
    document.head.append(link);
  };
  for (const [name, code] of Object.entries(modules)) {
    const whole = new Blob([code.replaceAll(place, base)], {type: 'text/javascript'});
    imports[base + name] = URL.createObjectURL(whole);
    linked(name, 'alternate');
  }
  const map = Object.assign(document.createElement('script'), {type: 'importmap'});
  map.textContent = JSON.stringify({imports});
  document.head.append(map);
  for (const name of Object.keys(styles)) linked(name, 'stylesheet');
  const style = document.createElement('style');
  style.textContent = Object.values(styles).join('\n');
  // After gradio's first styles, which they change.
  addEventListener('DOMContentLoaded', () => document.head.append(style));
}

// Before anything is drawn: the page begins in the tab that its address names. `tabs` are those of
// parts of an address; the part `tab` names one itself. `shown` are the ids of what a tab shows at
// first.
function begin(tabs, shown) {
  const widgets = window.gradio_config.components;
  const tabOf = search => {
    const given = new URLSearchParams(search);
    const part = Object.keys(tabs).find(name => tabs[name] && given.has(name));
    const named = widgets.some(one => one.type === 'tabitem' && one.props.id === given.get('tab'));
    return tabs[part] || (named ? given.get('tab') : 'explore');
  };
  const rooms = widgets.find(one => one.props.elem_id === 'rooms');
  if (!rooms) return;  // the annotators' page has no tabs
  const {lang} = document.documentElement, here = new URL(location.href);
  if (lang !== 'en') here.searchParams.set('lang', lang);
  // A check stands behind the '#', which browsers send to no server. Older links have it before.
  if (here.searchParams.has('text') && tabOf(location.search) === 'explore') {
    const form = [...here.searchParams].filter(([name]) => !/^(tab|lang|view|__.*)$/.test(name));
    for (const [name] of form) here.searchParams.delete(name);
    here.hash = new URLSearchParams(form);
  }
  const check = () => /[#&]text=/.test(location.hash) ? `?${location.hash.slice(1)}` : '';
  if (here.href !== location.href) history.replaceState(history.state, '', here);
  rooms.props.selected = tabOf(location.search);
  // gradio 6.31 may lose what it is told of a tab while it draws it.
  const drawn = async tab => {
    const parts = shown[tab];
    for (let turn = 0, same = 0, before = 0; turn < 200; turn++) {
      await new Promise(done => setTimeout(done, 50));
      const now = document.querySelectorAll(`#room-${tab} *`).length;
      same = now && now === before ? same + 1 : 0;
      // A part may have been hidden meanwhile.
      if (same > 10 || (same && parts.every(part => document.getElementById(part)))) return;
      before = now;
    }
  };
  window.hinter = {tabOf, drawn, check};
}

// The address follows the open tab and what it shows, so that a reload and Back come to it again.
// `hinter.follow` tells what a tab shows: something `new`, a `draft` of it, or more of the `same`.
// A tab that has a language of its `own` says it there; all other addresses have the page's. `hinter.back` shows something in a tab again.
// What is too long for an address is kept beside it.
function address() {
  const longest = 8000, {tabOf} = window.hinter, back = {};
  const find = name => document.querySelector(
    `.main-tabs [role=tab]${name ? `[aria-controls=room-${name}]` : '[aria-selected=true]'}`);
  const here = () => {
    const check = history.state?.query || window.hinter.check();
    if (check) return check;
    const parts = new URLSearchParams(location.search);
    if (parts.get('tab') === 'explore') parts.delete('tab');
    parts.delete('lang');
    return (parts.size ? `?${parts}` : '') + location.hash;
  };
  let open = tabOf(location.search);
  const shown = {[open]: here()};
  const plain = query => {
    const [, search, key] = query.match(/^([^#]*)(.*)$/), parts = new URLSearchParams(search);
    parts.delete('lang');
    return search && `?${parts}${key}`;
  };
  const spoken = () => new URLSearchParams(location.search).get('lang') || '';
  const ours = spoken() || document.documentElement.lang.replace(/^en$/, '');
  const write = (query, how, language) => {
    const address = query.replace(/^[?](?=text=)/, `${location.pathname}#`);
    const next = new URL(query.length > longest || !query ? `?tab=${open}` : address, location.href);
    if (language) next.searchParams.set('lang', language);
    const state = {draft: how === 'draft'};
    if (query.length > longest) state.query = query;
    const same = query === here() && language === spoken(), draft = history.state?.draft;
    if (same && (how === 'draft' || !draft)) return;
    if (!same && (how === 'new' || (how === 'draft' && !draft))) history.pushState(state, '', next);
    else history.replaceState(state, '', next);
  };
  const turned = () => {
    const now = find('')?.getAttribute('aria-controls')?.replace('room-', '');
    if (!now || now === open) return;
    shown[open] = here();
    open = now;
    write(shown[now] ?? `?tab=${now}`, 'new', ours);
    shown[now] = here();
  };
  new MutationObserver(turned).observe(
    document.body, {subtree: true, attributeFilter: ['aria-selected']});
  addEventListener('popstate', () => {
    const wanted = tabOf(location.search), before = shown[wanted], now = shown[wanted] = here();
    if (wanted !== open) {
      open = wanted;
      const button = find(wanted);
      if (!button) { location.reload(); return; }
      button.click();
    }
    if (before === now) return;
    if (back[wanted]) back[wanted](now);
    else if (before !== undefined) location.reload();
  });
  // A class sees the address of its teacher, whose key stays in this browser.
  const unseen = query => {
    const [, start, code] = query.match(/^(.*[?&]teach=[^#]*#)([A-Z0-9]{6})\./) || [];
    if (!code) return query;
    try { localStorage.setItem(`hinter-class-${code}`, query.slice(start.length)); }
    catch { return query; }
    return start + code;
  };
  Object.assign(window.hinter, {
    back,
    unseen,
    follow: (name, query, how, own) => {
      const language = new URLSearchParams(query.replace(/#.*/, '')).get('lang') || '';
      shown[name] = plain(query);
      if (name === open) write(shown[name], how, own ? language : ours);
    },
  });
}

// For each of some lists of names, the part of the address that has them, with the fragment as `key`.
async function addressed(...lists) {
  const given = new URLSearchParams(location.search);
  let key = location.hash.slice(1);
  // The address of a class has its code alone; see `hinter.unseen`.
  try { key = localStorage.getItem(`hinter-class-${key}`) || key; } catch { /* not stored */ }
  const found = lists.map(names => {
    const part = names.filter(name => given.has(name)).map(name => [name, given.get(name)]);
    return new URLSearchParams(part.length && key ? [...part, ['key', key]] : part).toString();
  });
  if (found.some(Boolean)) await window.hinter.drawn(window.hinter.tabOf(location.search));
  return found;
}

// The server is asked about a tab once that is drawn; `number` is that of the event's inputs, after
// which gradio passes its outputs.
async function drawn(tab, number, ...values) {
  await window.hinter.drawn(tab);
  return values.slice(0, number);
}

// The button beside a link copies it.
function copyLink(element) {
  element.addEventListener('click', async event => {
    if (!event.target.matches('.copy-link')) return;
    const shown = event.target.parentElement.querySelector('a.share, code');
    try { await navigator.clipboard.writeText(shown.dataset.link ?? shown.href ?? shown.textContent); event.target.textContent = event.target.dataset.copied; }
    catch { event.target.textContent = event.target.dataset.uncopied; }
  });
}

// The answer to what a widget sent is there: what was chosen meanwhile is sent now.
function answered(id) {
  const element = document.getElementById(id), next = element?.next;
  if (element) element.sent = element.next = null;
  if (next) next();
}

// Read out a text, given in each of the languages.
function tell(texts) {
  document.getElementById('page-told').textContent = texts[document.documentElement.lang];
}

// Save what the page holds as a file, without the server keeping one.
function save(kind, name, content) {
  const blob = new Blob([content], {type: kind});
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Fetch a file of the server: it lies under a name that cannot be guessed, and goes when the page
// is closed.
function fetchFile(place) {
  if (!place) return;
  const link = document.createElement('a');
  link.href = new URL('gradio_api/file=' + place, location.origin + location.pathname).href;
  link.download = place.split(/[\\/]/).pop();
  document.body.append(link);
  link.click();
  link.remove();
}

// What follows from a click stands elsewhere on the page, unless a list was opened meanwhile.
async function reveal(id) {
  for (let turn = 0; turn < 100 && !document.getElementById(id); turn++)  // a tab may just be drawn
    await new Promise(done => setTimeout(done, 50));
  if (document.querySelector('[role=listbox]')) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById(id)?.scrollIntoView({block: 'start', behavior: calm ? 'auto' : 'smooth'});
}

// A finding is to be opened in Explore, or another page of findings shown.
function findings(element, trigger) {
  element.addEventListener('click', event => {
    const turn = event.target.closest('[data-page]');
    if (turn) { trigger('select', {page: Number(turn.dataset.page)}); return; }
    const button = event.target.closest('button.open');
    if (!button) return;
    const told = {};
    for (const [name, value] of Object.entries(button.dataset)) told[name] = Number(value);
    trigger('select', told);
  });
}

// What was made from the controls around it, at the press of a button of the class `makes`, is
// marked once these say something else, and no more when they say the same again.
function madeFrom(element) {
  const scope = element.closest('.made-from'), made = new Map();
  const control = '.block[id]:not(:has(.block[id], .label-wrap))';
  const said = block => JSON.stringify([
    ...[...block.querySelectorAll('input:not([type=file]), textarea')].map(
      box => /radio|checkbox/.test(box.type) ? box.checked : box.value),
    ...[...block.querySelectorAll('.token, .filename')].map(one => one.textContent),
  ]);
  const compare = () => {
    for (const [id, one] of made) {
      const block = document.getElementById(id);
      if (block) one.changed = said(block) !== one.before;
    }
    element.toggleAttribute('data-changed', [...made.values()].some(one => one.changed));
  };
  let waiting = 0;
  for (const kind of ['pointerdown', 'focusin', 'input', 'change', 'click', 'focusout', 'drop'])
    scope.addEventListener(kind, event => {
      const fresh = event.type === 'click' && event.target.closest('.makes');
      const touched = event.target.closest(control);
      if (fresh) made.clear();
      // What was folded then is read as it is touched.
      for (const one of fresh ? scope.querySelectorAll(control) : [touched])
        if (one && (fresh || made.size) && !made.has(one.id) && !one.contains(element))
          made.set(one.id, {before: said(one)});
      clearTimeout(waiting);
      waiting = setTimeout(compare, 150);
    }, true);
}
