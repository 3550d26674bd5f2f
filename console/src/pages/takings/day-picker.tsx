import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { type Day, daysAfter, isDay } from './days.js';
import { useTexts } from './texts.js';

/** Chooses a business day; none after today. */
export function DayPicker({
  day,
  today,
  onChange,
}: {
  readonly day: Day;
  readonly today: Day;
  readonly onChange: (day: Day) => void;
}) {
  const texts = useTexts();
  const isLast = day >= today;
  // an unfinished date is no day
  const [[typed, ofDay], type] = useState([day, day]);
  if (ofDay !== day) type([day, day]);
  return (
    <fieldset className="day-picker not-printed">
      <legend className="unseen">{texts.day}</legend>
      <button
        type="button"
        className="button button-plain day-step"
        aria-label={texts.earlier}
        title={texts.earlier}
        onClick={() => onChange(daysAfter(day, -1))}
      >
        <Icon name="back" />
      </button>
      <input
        type="date"
        className="input"
        aria-label={texts.chooseDay}
        value={typed}
        max={today}
        onChange={({ target: { value } }) => {
          type([value, day]);
          if (isDay(value)) onChange(value > today ? today : value);
        }}
      />
      <button
        type="button"
        className="button button-plain day-step"
        aria-label={texts.later}
        title={texts.later}
        disabled={isLast}
        onClick={() => onChange(daysAfter(day, 1))}
      >
        <Icon name="arrow" />
      </button>
      {!isLast && <Button onClick={() => onChange(today)}>{texts.today}</Button>}
    </fieldset>
  );
}
