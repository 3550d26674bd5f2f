import { useEffect, useState } from 'react';
import { Icon } from '../design/icons.js';
import { useSharedTexts } from '../i18n/shared.js';
import type { OwnRestaurant } from './restaurants.js';
import type { Session } from './session.js';

/** How the keys are called on this device. */
const KEYS = /mac/i.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

/** Loaded when it is first needed; without a connection it is not, and the page says that there is none. */
const load = () => import('./find/find.js').then((file) => file.default);

/**
 * The restaurant of the page and the search of the console (N44), which a press or Ctrl-K opens; a user of several restaurants changes there to another
 * one.
 */
export function FindButton({
  session,
  restaurants,
  current,
}: {
  readonly session: Session;
  readonly restaurants: readonly OwnRestaurant[];
  readonly current: OwnRestaurant | undefined;
}) {
  const { nav } = useSharedTexts();
  const [Find, show] = useState<Awaited<ReturnType<typeof load>>>();
  const open = () => {
    load()
      .then((loaded) => show(() => loaded))
      .catch(() => {});
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening is the same at each render
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isK =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k';
      if (!isK || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      {current && restaurants.length === 1 && <p className="switcher switcher-one">{current.name}</p>}
      {current && restaurants.length > 1 && (
        <button type="button" className="switcher switcher-button" aria-haspopup="dialog" onClick={open}>
          <span className="unseen">{nav.restaurant}: </span>
          <bdi className="switcher-one">{current.name}</bdi>
          <Icon name="down" />
        </button>
      )}
      <button
        type="button"
        className="find-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        <Icon name="search" />
        <span className="find-word">{nav.find}</span>
        <span className="find-keys" aria-hidden="true">
          {KEYS}
        </span>
      </button>
      {Find && <Find session={session} restaurants={restaurants} current={current} onClose={() => show(undefined)} />}
    </>
  );
}
