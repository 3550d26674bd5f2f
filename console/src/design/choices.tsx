import { useId } from 'react';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** how many there are of it */
  readonly count?: string | undefined;
}

/** One of a few, all in sight: a filter, a period. Radio buttons, so that arrow keys move and one stop of Tab is enough. */
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
