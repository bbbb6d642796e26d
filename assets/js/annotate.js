// What an annotator's page does in the browser itself.
//
// What is said goes into an outbox in the browser's storage first and is sent from there, again and
// again until the server has it; so neither a closed tab nor a server that is gone loses anything.
// Each thing said has a name of its own, under which the server counts it once. Texts come from the
// server as HTML that is escaped already; no text of anybody becomes part of a script.
//
const root = document.querySelector('.annotate-room');

// -- The browser's storage ---------------------------------------------------------------------

const query = new URL(location.href).searchParams;
const theme = query.get('__theme');  // a Space says so
const dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark', dark);
const project = query.get('annotate') || '';
// What a service says of the person whom it sends.
const entry = Object.fromEntries(['PROLIFIC_PID', 'STUDY_ID', 'SESSION_ID']
  .filter(name => query.get(name)).map(name => [name, query.get(name)]));
// The owner looks as an annotator would; the key is in the fragment, and nothing is stored.
const preview = query.has('preview');
const base = `hinter-annotate:${project}`;
const stores = [sessionStorage, localStorage];
const kept = {
  seat: () => {
    for (const store of stores) {
      try { const seat = JSON.parse(store.getItem(base)); if (seat?.key) return seat; } catch {}
    }
    return null;
  },
  sit: (seat, stay) => {
    stores.forEach(store => store.removeItem(base));
    if (seat) stores[stay ? 1 : 0].setItem(base, JSON.stringify(seat));
  },
  // One entry for each thing said, so that two windows of one person do not overwrite each other.
  outbox: name => Object.keys(localStorage)
    .filter(place => place.startsWith(`${base}:${name}:`))
    .map(place => { try { return JSON.parse(localStorage.getItem(place)); } catch { return null; } })
    .filter(Boolean).sort((a, b) => a.at - b.at),
  put: (name, one) => localStorage.setItem(`${base}:${name}:${one.id}`, JSON.stringify(one)),
  drop: (name, id) => localStorage.removeItem(`${base}:${name}:${id}`),
  waiting: () => {
    const names = {};
    for (const place of Object.keys(localStorage)) {
      if (!place.startsWith(base + ':')) continue;
      const name = place.slice(base.length + 1, place.lastIndexOf(':'));
      names[name] = (names[name] || 0) + 1;
    }
    return names;
  },
  draft: value => value === undefined
    ? JSON.parse(sessionStorage.getItem(base + '#draft') || 'null')
    : sessionStorage.setItem(base + '#draft', JSON.stringify(value)),
};

// -- The server --------------------------------------------------------------------------------

const LONGEST_WAIT = 3;  // seconds until the next try
// Null: no answer came; the same can be asked again.
const ask = async (name, told) => {
  const late = new AbortController(), timer = setTimeout(() => late.abort(), lost ? 6000 : 20000);
  try {
    const answer = await fetch(`judge/${name}`, {
      method: 'POST', headers: {'Content-Type': 'application/json'}, signal: late.signal,
      body: JSON.stringify({project, ...told}),
    });
    return answer.ok ? await answer.json() : null;
  } catch { return null; } finally { clearTimeout(timer); }
};
const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
// crypto.randomUUID is there only where the page came over https or from this machine.
const fresh = () => crypto.randomUUID?.() ??
  [...crypto.getRandomValues(new Uint8Array(16))].map(n => n.toString(16).padStart(2, '0')).join('');

// -- What is known now -------------------------------------------------------------------------

let seat = kept.seat(), words = {}, closed = false;
let practice = [];
let now = null, queue = [], past = [], outbox = [], counts = {judged: 0, skipped: 0, left: 0, seconds: 0};
// Answers are in the order in which they were given; the last one is the first to be taken back.
let place = 0, answers = {}, ending = '';
let spent = 0, since = 0, sending = false, wait = 0, timer = 0, lost = false;
// A text takes answers once it has been painted for a moment, and a tap is followed by a pause, so
// that the second of two taps, or a key pressed too often, answers nothing that nobody has read.
const MOMENT = 250;  // milliseconds
let ready = null, read = null, settling = 0, leaving = null;
// Keys wait while a text that was read shows what it is compared with. A key before a text can have
// been read answers nothing, and nor do those right after it: the rest of a rhythm of keys would go
// to the wrong questions.
let typed = [], hasty = '';
const $ = wanted => root.querySelector(wanted);
const all = wanted => [...root.querySelectorAll(wanted)];
const named = item => `${item.showing} ${item.item}`;
const same = (a, b) => a && b && a.item === b.item && a.showing === b.showing;
const usesKeys = () => localStorage.getItem('hinter-annotate-keys') !== 'off';
// A question is asked if the text has what it compares with, and after the answers that it wants.
const asked = () => {
  const found = new Set();
  for (const box of all('.judge-question')) {
    const after = JSON.parse(box.dataset.after);
    const wanted = after.every(([name, values]) =>
      found.has(name) && (!(name in answers) || values.includes(answers[name])));
    if (wanted && (box.dataset.pair === undefined || now?.pair)) found.add(box.dataset.question);
  }
  return all('.judge-question').filter(box => found.has(box.dataset.question));
};
const open_in = boxes => boxes.findIndex(box => !(box.dataset.question in answers));
const typing = target => target.closest?.('textarea, input:not([type=checkbox]), select');

// -- What is shown -----------------------------------------------------------------------------

const put = html => {
  root.innerHTML = html;
  document.title = $('h1')?.textContent || document.title;
};
const say = text => { const box = $('[data-told]'); if (box) box.textContent = text; };
const notice = text => {
  const box = $('.judge-notice');
  if (!box) return;
  box.hidden = !text;
  box.textContent = text;
  box.classList.toggle('error', !!text);
  box.classList.add('notice');
};
// What was said of the text that is shown, and is stored nowhere but in this window.
const begun = () => now && !now.expected && !preview &&
  (Object.keys(answers).length || $('#annotate-comment').value.trim());
const tell_saved = () => {
  const open = outbox.length, state = $('.judge-saved');
  state.textContent = open ? (lost ? fill(words.unsaved, {n: open}) : words.sending)
    : begun() ? words.begun : words.saved;
  state.classList.toggle('open', !!open || !!begun());
  state.dataset.open = open;
};
const count = () => {
  const bar = $('.judge-progress progress');
  if (!bar) return;
  const done = counts.judged + counts.skipped;
  bar.max = Math.max(1, done + counts.left);
  bar.value = done;
  $('.progress-words').textContent = fill(words.progress, counts);
  $('.judge-clock').textContent =
    fill(words.minutes, {n: Math.floor(counts.seconds / 60)});
  tell_saved();
  const off = $('.judge-offline');
  if (off.hidden === lost) off.hidden = !lost;
  const open = outbox.length, ahead = queue.length + (now ? 1 : 0);
  if (lost) $('.offline-words').textContent =
    fill(ahead ? words.offline : words.offline_empty, {n: open, ahead});
  // Without a text and without a connection, the notice above says why.
  $('.judge-waiting').hidden = !!now || lost;
};
// The text stands alone, and no later question is seen, until the first question that compares.
const reveal = boxes => {
  const pair = boxes.findIndex(box => box.dataset.pair !== undefined);
  const alone = now.pair && !!now.alone && (pair < 0 || place < pair);
  all('.judge-question').forEach(box => {
    const at = boxes.indexOf(box);
    box.hidden = at < 0 || (alone && pair >= 0 && at >= pair);
  });
  const item = $('.judge-item'), shown = `${named(now)} ${alone}`;
  if (item.dataset.shown === shown) return '';
  item.dataset.shown = shown;
  item.innerHTML = alone ? now.alone : now.html;
  all('.judge-words').forEach(box => {
    const first = box.querySelector('del, ins');
    if (first && box.scrollHeight > box.clientHeight)
      box.scrollTop = first.offsetTop - box.offsetTop - box.clientHeight / 3;
  });
  settleIn(now);
  return alone || !now.pair ? '' : now.compared;
};
const mark = spoken => {
  const boxes = asked();
  const compared = now ? reveal(boxes) : '';
  $('[data-act=fine]').disabled = !boxes[place]?.dataset.fine;
  boxes.forEach((box, at) => {
    const current = at === place;
    box.classList.toggle('current', current);
    box.setAttribute('aria-current', current ? 'step' : 'false');
    box.querySelector('.question-number').textContent =
      fill(words.question, {n: at + 1, all: boxes.length}) + ' ';
    box.querySelectorAll('[data-value]').forEach(button => button.setAttribute(
      'aria-pressed', String(answers[box.dataset.question] === button.dataset.value)));
  });
  if (spoken !== undefined && boxes[place]) {
    const question = boxes[place].querySelector('legend').textContent;
    say(`${spoken} ${compared} ${question}`.trim());
  }
  tell_saved();
  kept.draft(now && {item: now.item, showing: now.showing, answers,
                     comment: $('#annotate-comment').value});
};
const open = (name, wanted) => {
  const box = $(`.judge-${name}`), button = $(`[data-act=${name}]`);
  box.hidden = !wanted;
  button?.setAttribute('aria-expanded', String(wanted));
};
const settleIn = item => {
  const turn = settling += 1;
  ready = null;
  root.dataset.ready = 'no';
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
    if (now !== item || turn !== settling) return;
    ready = read = item;
    root.dataset.ready = 'yes';
    while (typed.length && now === item && ready === item) press(...typed.shift());
  }, MOMENT)));
};
const refuse = () => {
  if (!now) { hasty = words.hasty; return; }  // the next text says so
  notice(words.hasty);
  settleIn(now);
};
const show = (item, before = '') => {
  now = item;
  if (typed.length) hasty = words.hasty;
  typed = [];
  const draft = kept.draft();
  const mine = same(draft, item) ? draft : null;
  answers = {...(mine?.answers ?? item.earlier)};
  // A judgement that comes back lacks the last answer: that is what was taken back.
  const back = !mine && !item.partial && Object.keys(answers).pop();
  if (back) delete answers[back];
  place = Math.max(0, open_in(asked()));
  $('.judge-item').dataset.shown = '';
  $('#annotate-comment').value = mine?.comment ?? item.comment ?? '';
  open('comment', !!$('#annotate-comment').value);
  open('trees', false);
  $('.judge-trees').innerHTML = '';
  $('.judge-columns').hidden = false;
  spent = 0; since = performance.now();
  const again = back ? words.again : '';
  notice(before || hasty);
  hasty = '';
  $('.judge-item').setAttribute('aria-label', fill(words.item, {n: counts.judged + counts.skipped + 1}));
  $('.judge-item').focus({preventScroll: true});
  const top = root.getBoundingClientRect().top;
  if (top < -40) root.scrollIntoView({block: 'start'});
  mark(`${again} ${item.heard}`.trim());
  count();
};
const next = before => {
  const item = practice.shift() ?? queue.shift();
  if (item) { show(item, before); return; }
  now = null;
  kept.draft(null);
  if (ending && !outbox.length) { put(ending); $('h1')?.focus(); return; }
  $('.judge-columns').hidden = true;
  count();
};

// -- Sending -----------------------------------------------------------------------------------

const write = one => {
  const said = {id: fresh(), at: Date.now() + outbox.length / 1000, ...one};
  outbox.push(said);
  // A browser that refuses to store still sends.
  try { kept.put(seat.name, said); } catch (error) { console.warn(error); }
};
const tell = one => { if (preview) return; write(one); count(); send(); };
const later = () => {
  lost = true;
  wait = Math.min(LONGEST_WAIT, wait ? wait * 2 : 1);
  clearTimeout(timer);
  timer = setTimeout(send, wait * 1000);
  count();
};
const settle = reply => {
  let told = '', back = false;
  for (const done of reply.done) {
    const one = outbox.find(said => said.id === done.id);
    outbox = outbox.filter(said => said.id !== done.id);
    kept.drop(seat.name, done.id);
    if (done.error) {
      told = done.error.message;
      past = past.filter(item => !same(item, one));
    }
    if (one && (one.kind === 'again' || (one.kind === 'undo' && !one.item))) back = true;
  }
  // The server's list is the order; it has the text only of those that the page did not hold.
  const held = [now, ...queue], said = item => outbox.find(one => same(one, item));
  if (back) now = null;
  queue = [
    ...queue.filter(item => said(item)?.kind === 'undo'),
    ...reply.items.filter(item => !same(item, now) && !said(item))
      .map(item => held.find(one => same(one, item)) ?? item).filter(item => item.html),
  ];
  ending = reply.end || '';
  if (!outbox.length && reply.progress) counts = reply.progress;
  return told;
};
const send = async () => {
  if (sending || !seat || closed || preview) return;
  sending = true;
  clearTimeout(timer);
  try {
    do {
      const held = [now, ...queue].filter(Boolean).map(named);
      const reply = await ask('work', {key: seat.key, sent: outbox.slice(0, 25), held});
      if (!seat) return;
      if (!reply || reply.error?.code === 'failed') { later(); return; }
      if (reply.error) { await out(reply.error); return; }
      lost = false; wait = 0;
      const told = settle(reply);
      if (reply.closed) { finish(reply.closed); return; }
      if (now) { if (told) notice(told); count(); } else next(told);
    } while (outbox.length);
  } finally { sending = false; }
};
const finish = html => {
  [closed, now, queue] = [true, null, []];
  put(html);
  const left = $('.judge-unsaved');
  if (outbox.length && left) {
    left.hidden = false;
    left.textContent = fill(left.dataset.words, {n: outbox.length});
  }
  $('h1')?.focus();
};
// Not joined any more, or the project is gone.
const out = async error => {
  kept.sit(null);
  [seat, now, queue] = [null, null, []];
  if (error.html) { put(error.html); return; }
  await enter(error.message);
};

// -- What a person does ------------------------------------------------------------------------

// What the owner would answer to a text to practise on, beside what the person did.
const drill = () => {
  const words_of = (box, value) =>
    box.querySelector(`[data-value="${CSS.escape(value)}"] span`)?.textContent ?? value;
  const lines = asked().filter(box => box.dataset.question in now.expected).map(box => {
    const name = box.dataset.question, right = answers[name] === now.expected[name];
    return fill(right ? words.right : words.expected, {
      question: box.querySelector('.question-words').textContent,
      answer: words_of(box, now.expected[name]),
    });
  });
  ready = null;
  root.dataset.ready = 'no';
  const [n, all_of] = now.of, told = [fill(words.practice, {n, all: all_of}), ...lines, now.why];
  if (n === all_of) told.push(words.begin);
  $('.feedback-words').replaceChildren(...told.filter(Boolean).map(line => {
    const shown = document.createElement('p');
    shown.textContent = line;
    return shown;
  }));
  $('.judge-columns').hidden = true;
  $('.judge-feedback').hidden = false;
  $('[data-act=onward]').focus();
  root.dataset.ready = 'yes';
};
const onward = () => {
  $('.judge-feedback').hidden = true;
  const last = !practice.length;
  now = null;
  if (last) tell({kind: 'practised'});
  next('');
};
const hand = kind => {
  if (!now || ready !== now) return;
  if (now.expected) { drill(); return; }
  const seconds = (spent + (document.hidden ? 0 : performance.now() - since)) / 1000;
  const own = {kind, item: now.item, showing: now.showing, comment: $('#annotate-comment').value};
  // What was answered before a text was skipped comes back whole.
  past.push({...now, kind, earlier: answers, partial: kind !== 'judged', comment: own.comment});
  counts = {...counts, left: Math.max(0, counts.left - 1), seconds: counts.seconds + seconds};
  counts[kind === 'judged' ? 'judged' : 'skipped'] += 1;
  tell({...own, answers: kind === 'judged' ? answers : {}, seconds: Math.round(seconds * 100) / 100});
  next('');
};
const forward = spoken => {
  const boxes = asked(), open = open_in(boxes);
  if (open < 0 && place >= boxes.length - 1) { hand('judged'); return; }
  const after = boxes.findIndex((box, at) => at > place && !(box.dataset.question in answers));
  place = open < 0 ? place + 1 : after >= 0 ? after : open;
  mark(spoken);
};
const answer = (box, value) => {
  const at = asked().indexOf(box);
  if (at < 0 || !now || ready !== now) return;
  const button = [...box.querySelectorAll('[data-value]')].find(b => b.dataset.value === value);
  const followed = box.contains(document.activeElement);
  const was = now;
  place = at;
  delete answers[box.dataset.question];
  answers[box.dataset.question] = value;
  const still = asked().map(one => one.dataset.question);
  for (const name of Object.keys(answers)) if (!still.includes(name)) delete answers[name];
  notice('');
  forward(button.querySelector('span').textContent + '.');
  if (followed && now === was) asked()[place].querySelector('[data-value]').focus();
};
// All questions that are seen get the answer that speaks for the text, up to one that has none.
const fine = () => {
  if (!now || ready !== now) return;
  const was = now, seen = asked().slice(place).filter(box => box.checkVisibility());
  for (const box of seen) {
    const name = box.dataset.question;
    if (now !== was || !asked().includes(box) || name in answers) continue;
    if (!box.dataset.fine || ready !== now) return;
    answer(box, box.dataset.fine);
  }
};
const undo = () => {
  notice('');
  const last = Object.keys(answers).pop();
  if (now && last) {
    delete answers[last];
    place = asked().findIndex(box => box.dataset.question === last);
    mark('');
    return;
  }
  if (now?.expected || preview) return;
  const item = past.pop();
  if (item && $('.judge-columns')) {
    if (now) queue.unshift({...now, earlier: {}, comment: $('#annotate-comment').value});
    counts = {...counts, left: counts.left + 1};
    counts[item.kind === 'judged' ? 'judged' : 'skipped'] -= 1;
    kept.draft(null);
    show(item);
    tell({kind: 'undo', item: item.item, showing: item.showing});
  } else {
    if (now) Object.assign(now, {earlier: {}, comment: $('#annotate-comment').value});
    reopen({kind: 'undo'});
  }
};
// The server knows what comes back: what was said before a reload, or what was skipped.
const reopen = async one => {
  if ($('.judge-columns')) { tell(one); return; }
  write(one);
  await enter('');
};
const trees = async () => {
  const box = $('.judge-trees'), was = now;
  if (!now) return;
  if (!box.hidden) { open('trees', false); return; }
  open('trees', true);
  if (box.innerHTML) return;
  box.textContent = words.working;
  const reply = await ask('trees', {key: seat.key, item: now.item});
  if (now !== was) return;
  if (reply?.html) box.innerHTML = reply.html; else box.textContent = words.trees_failed;
  box.scrollIntoView({block: 'nearest'});
};
const comment = () => {
  const shut = $('.judge-comment').hidden;
  open('comment', shut);
  if (shut) $('#annotate-comment').focus(); else $('.judge-item').focus();
};
// What is half judged is not kept: leaving then takes a second press on the same text.
const leave = async () => {
  if (preview) { close(); return; }
  if (begun() && leaving !== now) {
    leaving = now;
    notice(words.leave_sure);
    return;
  }
  const reply = await ask('leave', {key: seat.key});
  kept.sit(null);
  kept.draft(null);
  seat = null;
  [now, queue, past, outbox] = [null, [], [], []];
  if (reply?.html) { put(reply.html); $('h1')?.focus(); } else await enter('');
};
// Of several parts of an address only the first one survives the way to Hugging Face and back, unless
// they are one: which project, and in which language.
const back = () => {
  const here = new URLSearchParams();
  for (const part of ['annotate', 'lang']) if (query.has(part)) here.set(part, query.get(part));
  return new URLSearchParams({_target_url: `/?${here}`});
};
const acts = {
  fine, undo, trees, comment, leave, onward,
  skip: () => { notice(''); hand('skipped'); },
  help: () => { $('.judge-help').showModal(); },
  close: () => $('.judge-help').close(),
  retry: () => { wait = 0; send(); },
  again: () => reopen({kind: 'again'}),
  back: () => enter(''),
  login: () => join({login: true}),
  signin: () => location.assign(`login/huggingface?${back()}`),
  signout: () => location.assign(`logout?${back()}`),
  show: button => {
    const field = root.querySelector('#annotate-phrase'), shown = field.type === 'text';
    field.type = shown ? 'password' : 'text';
    button.setAttribute('aria-pressed', String(!shown));
    button.textContent = shown ? $('.join').dataset.show : $('.join').dataset.hide;
  },
};

// -- Coming in ---------------------------------------------------------------------------------

const settings = () => {
  words = JSON.parse($('.judge').dataset.words);
  $('[name=keys]').checked = usesKeys();
  root.classList.toggle('no-keys', !usesKeys());
};
const look = reply => {
  seat = {name: ''};
  [queue, practice, ending] = [reply.items, reply.practice, reply.end];
  counts.left = queue.length;
  settings();
  $('.judge-top').insertAdjacentHTML('beforebegin', '<details class="card preview"></details>');
  const fold = $('.preview'), summary = document.createElement('summary');
  summary.textContent = words.preview;
  fold.innerHTML = reply.opening;
  fold.prepend(summary);
  fold.querySelectorAll('button, input').forEach(field => { field.disabled = true; });
  next('');
};
const take = async (reply, told = '') => {
  if (!reply) { timer = setTimeout(() => enter(told), 2000); return; }
  if (reply.error) {
    if (reply.error.html) { put(reply.error.html); return; }
    if (reply.error.code === 'signed-out') { await out(reply.error); return; }
    if ($('.judge-notice')) notice(reply.error.message); else root.textContent = reply.error.message;
    return;
  }
  put(reply.html);
  if (preview) { look(reply); return; }
  if (!seat) {
    if (entry.PROLIFIC_PID && $('[name=name]')) $('[name=name]').value = entry.PROLIFIC_PID.slice(0, 40);
    notice(told);
    const names = Object.entries(kept.waiting());
    if (!told && names.length)
      notice(fill($('.join').dataset.waiting, {name: names[0][0], n: names[0][1]}));
    return;
  }
  seat.name = reply.name;
  practice = reply.practice;
  settings();
  outbox = kept.outbox(seat.name);
  [now, queue, past, closed] = [null, [], [], false];
  $('.judge-columns').hidden = true;
  await send();
};
const enter = async told => {
  seat = preview ? null : kept.seat();
  const own = preview ? {preview: true, key: location.hash.slice(1)} : seat ? {key: seat.key} : {};
  await take(await ask('enter', own), told);
};
const join = async told => {
  const stay = !!$('[name=stay]')?.checked, consent = !!$('[name=consent]')?.checked;
  const reply = await ask('join', {...told, consent, entry});
  if (reply?.key) {
    seat = {key: reply.key, name: reply.name};
    kept.sit(seat, stay);
  }
  if (reply) await take(reply); else notice($('.join').dataset.failed);
};

// -- Keys and buttons --------------------------------------------------------------------------

root.addEventListener('submit', event => {
  event.preventDefault();
  const form = event.target;
  join({name: form.elements.name.value, phrase: form.elements.phrase.value});
});
root.addEventListener('click', event => {
  const value = event.target.closest('[data-value]');
  if (value) {
    const was = now;
    answer(value.closest('.judge-question'), value.dataset.value);
    if (now && now === was && ready) settleIn(now);  // the next question may stand where this one was
    return;
  }
  const act = event.target.closest('[data-act]');
  if (act) acts[act.dataset.act]?.(act);
});
root.addEventListener('change', event => {
  if (event.target.name !== 'keys') return;
  localStorage.setItem('hinter-annotate-keys', event.target.checked ? 'on' : 'off');
  root.classList.toggle('no-keys', !event.target.checked);
});
root.addEventListener('input', event => { if (event.target.id === 'annotate-comment') mark(); });
// Nobody goes past a question that is open: what comes after it may show more of the text.
const step = by => {
  const boxes = asked(), open = open_in(boxes);
  place = Math.max(0, Math.min(open < 0 ? boxes.length - 1 : open, place + by));
  mark('');
};
const GIVE = ['s', ' ', 'enter'], MOVE = ['z', 'arrowleft', 'arrowright'];
// Whether a key came too early for what is shown; then it waits or is refused.
const early = (key, onButton) => {
  if (!$('.judge-columns') || (now && ready === now)) return false;
  const gives = (GIVE.includes(key) && !(onButton && key !== 's')) ||
    all('[data-key]').some(button => button.dataset.key === key);
  const waits = now && now === read;
  if (waits && (gives || (MOVE.includes(key) && !onButton))) typed.push([key, onButton]);
  else if (gives) refuse();
  else return false;
  return true;
};
// Do what a key is for; false if it is for nothing.
const press = (key, onButton) => {
  const named = {' ': 'fine', z: 'undo', s: 'skip', c: 'comment', t: 'trees', '?': 'help'}[key];
  const box = now && asked()[place];
  const value = box?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (value) answer(box, value.dataset.value);
  else if (named && !(key === ' ' && onButton) && $(`[data-act=${named}]`)?.offsetParent) acts[named]();
  else if (now && !onButton && key === 'arrowright' && box) step(1);
  else if (now && !onButton && key === 'arrowleft' && box) step(-1);
  else if (key === 'enter' && !onButton && box && box.dataset.question in answers) forward('');
  else return false;
  return true;
};
document.addEventListener('keydown', event => {
  if (!root.offsetParent || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (typing(event.target)) {
    const done = event.key === 'Escape' && event.target.id === 'annotate-comment';
    if (done) { $('.judge-item').focus(); event.preventDefault(); }
    return;
  }
  // A key that is held down counts once; on a button it would click again and again.
  if (event.repeat && !/^(Arrow|Page|Tab)/.test(event.key)) {
    if (event.target === document.body || root.contains(event.target)) event.preventDefault();
    return;
  }
  if (!seat || !usesKeys() || $('.judge-feedback')?.hidden === false || $('.judge-help')?.open) return;
  const outside = event.target !== document.body && !root.contains(event.target);
  if (outside) return;
  const key = event.key.toLowerCase();
  const onButton = !!event.target.closest('button, a, [tabindex="0"]');
  if (early(key, onButton) || press(key, onButton)) event.preventDefault();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) spent += performance.now() - since; else since = performance.now();
});
window.addEventListener('online', () => { wait = 0; send(); });
enter('');
