// @ts-check
/**
 * The tabs of the page, as a screen reader knows them: one panel is shown, arrow keys go from tab to tab.
 *
 * Knows a tab list, whose tabs name their panels, and the address, which remembers the one that is shown. Main thread.
 *
 * @module
 */

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/** A tab list; panels are named by their ids. */
export class Panels {
  /**
   * @param {HTMLElement} list - of elements with the role of a tab
   * @param {(panel: string, pointed: boolean) => void} onShow - `pointed` if with a pointer
   */
  constructor(list, onShow) {
    this.tabs = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role="tab"]')]);
    this.onShow = onShow;
    for (const tab of this.tabs) {
      // A click by keyboard has no place.
      tab.addEventListener('click', ({ detail }) => this.show(panelOf(tab), detail > 0));
    }
    list.addEventListener('keydown', (event) => this.onKey(event));
    addEventListener('hashchange', () => this.showAddressed());
  }

  /** Show the panel that the address names, or else the first. */
  showAddressed() {
    const named = this.tabs.map(panelOf).find((panel) => `#${panel}` === location.hash);
    this.show(named ?? panelOf(this.tabs[0]), false);
  }

  /**
   * @param {string} panel
   * @param {boolean} pointed
   */
  show(panel, pointed) {
    for (const [index, tab] of this.tabs.entries()) {
      const chosen = panelOf(tab) === panel;
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      const element = /** @type {HTMLElement} */ (document.getElementById(panelOf(tab)));
      element.hidden = !chosen;
      // The first panel is the page as such.
      if (chosen) history.replaceState(null, '', index === 0 ? location.pathname + location.search : `#${panel}`);
    }
    this.onShow(panel, pointed);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { tabs } = this;
    const at = tabs.indexOf(/** @type {HTMLElement} */ (event.target));
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    let to = -1;
    if (event.key === 'Home') to = 0;
    else if (event.key === 'End') to = tabs.length - 1;
    else if (step !== undefined) to = (at + step + tabs.length) % tabs.length;
    if (at < 0 || to < 0) return;
    event.preventDefault();
    tabs[to].focus();
    this.show(panelOf(tabs[to]), false);
  }
}

/** @param {HTMLElement} tab */
function panelOf(tab) {
  return tab.getAttribute('aria-controls') ?? '';
}
