/** Makes the home page's copy buttons and tabs work; without it everything on the page can still be read. */

const confirmedForMs = 2000;
/** The page's words in its language, which the server wrote beside this script. */
const words = document.getElementById('home-script').dataset;

// Runs before the body is parsed, so that the page is painted once, in its final shape.
document.documentElement.classList.add('js');
document.addEventListener('DOMContentLoaded', () => {
  for (const button of document.querySelectorAll('[data-copy]')) prepareCopyButton(button);
  prepareChoice([...document.querySelectorAll('[role=tab]')], document.querySelector('select.more'));
  prepareTheme(document.querySelector('.theme'));
  // Long lines scroll sideways, which the keyboard can do only where it can put the focus.
  for (const block of document.querySelectorAll('pre, .sheet')) block.tabIndex = 0;
});

function prepareCopyButton(button) {
  const word = button.querySelector('.word');
  let timer;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    const copied = await copyText(source.textContent);
    if (!copied) selectText(source);
    word.textContent = copied ? words.copied : words.copyByHand;
    button.classList.toggle('done', copied);
    announce(copied ? words.copiedNote : words.copyByHandNote);
    clearTimeout(timer);
    timer = setTimeout(() => {
      word.textContent = words.copy;
      button.classList.remove('done');
      announce('');
    }, confirmedForMs);
  });
}

async function copyText(text) {
  // Browsers offer the Clipboard API only over https and on localhost; a gateway is often reached by plain http.
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Permission was refused: the older API may still be allowed.
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text) {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'unseen';
  // The class keeps hidden text on one line, and the copy would lose its indentation.
  field.style.whiteSpace = 'pre';
  document.body.append(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    copied = false;
  }
  field.remove();
  focused?.focus({ preventScroll: true });
  return copied;
}

function selectText(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

function announce(text) {
  document.getElementById('announcement').textContent = text;
}

/** The common clients have a tab, all others are in the list beside them; one of all is shown. */
function prepareChoice(tabs, more) {
  const panels = [...document.querySelectorAll('.panel')];
  const choose = (id) => {
    for (const panel of panels) panel.classList.toggle('selected', panel.id === `panel-${id}`);
    const chosen = tabs.find((tab) => tab.id === `tab-${id}`);
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      // One of them can always be reached by the keyboard.
      tab.tabIndex = tab === (chosen ?? tabs[0]) ? 0 : -1;
    }
    more.classList.toggle('chosen', chosen === undefined);
    if (chosen !== undefined) more.value = '';
  };
  const chooseTab = (tab) => choose(tab.id.slice('tab-'.length));
  more.addEventListener('change', () => {
    if (more.value === '') chooseTab(tabs[0]);
    else choose(more.value);
  });
  for (const [index, tab] of tabs.entries()) {
    document.getElementById(tab.getAttribute('aria-controls')).setAttribute('role', 'tabpanel');
    tab.addEventListener('click', () => chooseTab(tab));
    tab.addEventListener('keydown', (event) => {
      const target = {
        ArrowRight: tabs[(index + 1) % tabs.length],
        ArrowLeft: tabs[(index - 1 + tabs.length) % tabs.length],
        Home: tabs[0],
        End: tabs.at(-1),
      }[event.key];
      if (!target) return;
      event.preventDefault();
      chooseTab(target);
      target.focus();
      target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    });
  }
}

/** The other one of light and dark; the console remembers it under the same name. */
function prepareTheme(button) {
  button.addEventListener('click', () => {
    const root = document.documentElement;
    const isDark = getComputedStyle(root).colorScheme === 'dark' || (!root.dataset.theme && systemIsDark());
    root.dataset.theme = isDark ? 'light' : 'dark';
    try {
      if (root.dataset.theme === (systemIsDark() ? 'dark' : 'light')) localStorage.removeItem('weir.theme');
      else localStorage.setItem('weir.theme', root.dataset.theme);
    } catch {
      // Private windows may refuse; the choice then holds for this page only.
    }
  });
}

function systemIsDark() {
  return matchMedia('(prefers-color-scheme: dark)').matches;
}
