import { useFormats } from '../../i18n/formats.js';
import type { Alert } from './queries.js';
import { useTexts } from './texts.js';

/** Who was told of an alert over which channel, and what became of it (G11). */
export function Told({ alert, timezone }: { readonly alert: Alert; readonly timezone: string }) {
  const texts = useTexts();
  const { time } = useFormats();
  if (alert.told.length === 0) return <p className="fine">{texts.toldNobody}</p>;
  return (
    <>
      <h4 className="alert-told-title">{texts.told}</h4>
      <ul className="plain-list alert-told">
        {alert.told.map(({ channel, recipient, state, at, attempts, reason }) => (
          <li key={`${channel}${recipient}${at}${state}`}>
            <span className="quiet">{time(at, timezone)}</span> {texts.channels[channel]}{' '}
            <bdi>{recipient ?? (channel === 'webhook' ? texts.webhook : '')}</bdi>: {texts.states[state]}
            {attempts > 1 && `, ${texts.tries(attempts)}`}
            {reason && (
              <span className="fine" lang="en">
                {' '}
                ({reason})
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
