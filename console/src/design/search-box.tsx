import type { Ref } from 'react';
import { Icon } from './icons.js';
import './search-box.css';

/** A search field with its label. */
export function SearchBox({
  label,
  value,
  onType,
  maxLength,
  shortcut,
  field,
}: {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly maxLength: number;
  /** the key that puts the cursor into it */
  readonly shortcut?: string;
  readonly field?: Ref<HTMLInputElement>;
}) {
  return (
    <label className="search-box">
      <span className="field-label">{label}</span>
      <span className="search-box-field">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          className="input"
          value={value}
          maxLength={maxLength}
          autoComplete="off"
          spellCheck={false}
          aria-keyshortcuts={shortcut}
          onChange={(event) => onType(event.target.value)}
        />
      </span>
    </label>
  );
}
