// What the Learn tab does in the browser itself.

// Everything that can be pressed or chosen says in its data what it asks for. In a class, a guess
// goes to the class as well, without a place in the queue, and is tried again where that fails.
function act(element, trigger, server) {
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
    element.dataset.pressed = button.dataset.way || button.dataset.act;
    // A question that is presented fills the screen; Escape, or the button at its end, leaves it.
    if (button.dataset.act === 'present') {
      if (!button.dataset.question) document.exitFullscreen?.().catch(() => {});
      else if (!document.fullscreenElement)
        document.documentElement.requestFullscreen?.().catch(() => {});
    }
    if (button.dataset.act === 'guess') {
      for (const other of button.parentElement.querySelectorAll('button'))
        other.setAttribute('aria-pressed', other === button ? 'true' : 'false');
      if (button.dataset.code) count(button.dataset, element.querySelector('.class-told'));
    }
    trigger('select', {...button.dataset});
  });
  // A threshold moved by hand: answers and verdicts follow, without a model being asked.
  const judge = box => {
    const least = Number(box.querySelector('input').value), kinds = JSON.parse(box.dataset.kinds);
    box.querySelector('output').textContent =
      least.toLocaleString(box.closest('[lang]').lang, {minimumFractionDigits: 2});
    const rows = [...box.querySelectorAll('tbody tr')], last = rows.pop();
    const sides = rows.map(row => [...row.querySelectorAll('[data-score]')].map(cell => {
      const above = Number(cell.dataset.score) >= least;
      cell.querySelector('.answer').textContent = above ? 'positive' : 'negative';
      return above;
    }));
    rows.forEach((row, n) => row.querySelectorAll('[data-score] .answer').forEach((answer, column) =>
      answer.classList.toggle('flipped', sides[n][column] !== sides[0][column])));
    last.querySelectorAll('strong').forEach((told, column) => {
      const flips = sides.map(side => side[column] !== sides[0][column]);
      told.textContent = !flips.at(-1) ? kinds.benign
        : flips.slice(1, -1).some(Boolean) ? kinds.biased : kinds.hidden;
    });
  };
  element.addEventListener('input', event => {
    const box = event.target.closest('.by-hand');
    if (box) judge(box);
  });
  new MutationObserver(() => element.querySelectorAll('.by-hand:not([data-drawn])').forEach(box => {
    box.dataset.drawn = '';
    judge(box);
  })).observe(element, {childList: true, subtree: true});
  element.addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.target.matches('.join-code')) {
      event.preventDefault();
      element.querySelector('[data-act=join]').click();
    }
  });
  element.addEventListener('change', event => {
    if (event.target.matches('select[data-act=word]')) {
      // One question at a time, so that no older answer replaces a newer one: words chosen
      // meanwhile, in any sentence, are sent by `page.answered`.
      const learn = document.querySelector('#learn');
      const send = () => {
        learn.sent = Date.now();
        const words = {};
        for (const menu of learn.querySelectorAll('select[data-act=word]'))
          (words[menu.dataset.place] ??= []).push(menu.value);
        trigger('select', {act: 'word', words});
      };
      if (Date.now() - (learn.sent || 0) > 20_000) send();
      else learn.next = send;
    }
  });
}

// What changes here is read out to those who listen.
function live(element) {
  element.setAttribute('aria-live', 'polite');
}

// A form whose every change is told: the teacher's builder of links.
function form(element, trigger) {
  const builder = document.querySelector('#learn-builder');
  const tell = () => {
    builder.sent = Date.now();
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
    waiting = setTimeout(() => {
      if (Date.now() - (builder.sent || 0) > 20_000) tell();
      else builder.next = tell;
    }, 250);
  });
}

// Back and Forward show again what the address names; `learn.moved` asks once more for what was
// turned to while another answer was under way.
function returned(element, trigger) {
  const {hinter} = window;
  const ask = () => trigger('select', {act: 'return', query: hinter.returning});
  hinter.back.learn = query => {
    if (location.hash.includes('.')) { location.reload(); return; }  // the key of another class
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    Object.assign(hinter, {returning: query, again: ask});
    ask();
  };
}

// After a move the heading of what is shown has the focus, and the address opens the same again. A
// step that a person moved to is an entry of the browser's history; another language of it is none.
function moved(query) {
  const {hinter} = window;
  const place = one => {
    const parts = new URLSearchParams(one.replace(/#.*/, ''));
    if (parts.get('tab') === 'learn') return 'lesson=attribute';
    for (const name of ['lang', 'class']) parts.delete(name);
    return parts.toString();
  };
  const {returning, again} = hinter;
  hinter.returning = hinter.again = null;
  if (again && query && place(query) !== place(returning)) {
    Object.assign(hinter, {returning, again: null});
    again();
    return;
  }
  if (query) {
    const same = returning || place(query) === (hinter.learning || 'lesson=attribute');
    hinter.learning = place(query);
    hinter.follow('learn', hinter.unseen(query), same ? 'same' : 'new', true);
  }
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
}

// A page that was opened by a link to an entry shows it.
function arrived(query) {
  if (query) {
    const parts = new URLSearchParams(query.replace(/#.*/, ''));
    for (const name of ['lang', 'class']) parts.delete(name);
    window.hinter.learning = parts.toString();
  }
  requestAnimationFrame(() => {
    for (const link of document.querySelectorAll('#learn a.full')) link.textContent = link.href;
    const entry = document.querySelector('#learn .chosen dt');
    if (!entry || !entry.offsetParent) return;
    entry.focus({preventScroll: true});
    entry.scrollIntoView({block: 'center'});
  });
}

// A class was opened or changed: the keyboard goes on at the button pressed, or at the top; where
// it is asked once more, at the button that takes it back.
function taught(query) {
  if (query) window.hinter.follow('learn', window.hinter.unseen(query), 'same', true);
  requestAnimationFrame(() => {
    for (const link of document.querySelectorAll('#learn a.full')) link.textContent = link.href;
    const room = document.querySelector('#learn-class');
    const name = document.querySelector('#learn-class [data-pressed]')?.dataset.pressed;
    if (name !== 'votes') document.querySelector('#teach').scrollTop = 0;  // of another question
    const pressed = room.querySelector('[data-act=keep]')
      || room.querySelector(`[data-way="${name}"], [data-act="${name}"]:not([data-way])`);
    (pressed && !pressed.disabled ? pressed : room.querySelector('h3[tabindex]'))?.focus({preventScroll: true});
  });
}

// Links that are to be copied by hand are shown in full.
function full() {
  requestAnimationFrame(() => {
    for (const link of document.querySelectorAll('#learn a.full')) link.textContent = link.href;
  });
}
