import { useId } from 'react';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** the number of its items */
  readonly count?: string | undefined;
}

/** A choice of a few values that are all visible. Radio buttons: one stop of Tab, and arrow keys choose. */
export function Choices<Value extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="choices">
      <legend className="unseen">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className="choice">
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>
            {choice.label}
            {choice.count !== undefined && <b className="choice-count">{choice.count}</b>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
