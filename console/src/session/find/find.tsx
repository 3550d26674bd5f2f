import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTyped } from '../../browser/typed.js';
import { Icon } from '../../design/icons.js';
import { useModal } from '../../design/modal.js';
import { type Found, type Searcher, useFound } from './found.js';
import { useTexts } from './texts.js';
import './find.css';

/** Finds restaurants, pages, acts and orders, by keys or pointer (N44): a combobox by the ARIA pattern, in a dialog. */
export default function Find({ onClose, ...searcher }: Searcher & { readonly onClose: () => void }) {
  const texts = useTexts();
  const id = useId();
  const dialog = useModal(true, onClose);
  const [search, setSearch] = useState('');
  const [typed, type] = useTyped(search, setSearch);
  const [active, setActive] = useState(0);
  // what was typed since finds no orders yet
  const groups = useFound(searcher, typed, search === typed.trim() ? search : '');
  const all = groups.flatMap(([, items]) => items);
  const at = Math.min(active, all.length - 1);
  const current = all[at];
  const choose = (found: Found) => {
    // first: the focus returns, and the page that comes takes it
    onClose();
    found.choose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined && all.length > 0) {
      event.preventDefault();
      setActive((at + move + all.length) % all.length);
    } else if (event.key === 'Enter' && current) {
      event.preventDefault();
      choose(current);
    }
  };
  const optionOf = (found: Found) => `${id}-${all.indexOf(found)}`;
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [id, at]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog {...dialog} className="dialog find" aria-label={texts.title} onClick={onBackdrop}>
      <input
        className="find-input"
        role="combobox"
        aria-label={texts.label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current && `${id}-${at}`}
        placeholder={texts.label}
        value={typed}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          type(target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label={texts.title} className="find-list">
        {groups.map(([group, items]) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={group} role="group" aria-label={texts.groups[group]}>
            <p className="find-group" aria-hidden="true">
              {texts.groups[group]}
            </p>
            {items.map((found) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
              <div
                key={found.key}
                id={optionOf(found)}
                role="option"
                tabIndex={-1}
                aria-selected={found === current}
                className="find-option"
                // the field keeps the focus
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(found)}
              >
                <span className={`find-icon ${found.tone ? `tone-${found.tone}` : ''}`}>
                  <Icon name={found.icon} />
                </span>
                <bdi className="find-label">{found.label}</bdi>
                {found.fine && <span className="fine number">{found.fine}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className={all.length > 0 ? 'unseen' : 'find-none'} role="status">
        {all.length === 0 && texts.none}
      </p>
      <p className="find-help" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {texts.keys.move} <kbd>Enter</kbd> {texts.keys.open} <kbd>Esc</kbd> {texts.keys.close}
      </p>
    </dialog>
  );

  function onBackdrop({ target, currentTarget }: { readonly target: unknown; readonly currentTarget: unknown }) {
    if (target === currentTarget) onClose();
  }
}
