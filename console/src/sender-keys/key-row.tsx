import type { ReactNode } from 'react';
import { useNow } from '../browser/now.js';
import { Icon } from '../design/icons.js';
import { useFormats } from '../i18n/formats.js';
import type { SenderKey } from './keys-api.js';
import { useTexts } from './texts.js';

const MINUTE_MS = 60_000;
/** From then on the end of a key is a warning, as the doctor's (V11). */
const SOON_MS = 7 * 86_400_000;

/** A refusal is shown for this time after the last one. */
const REFUSED_MS = 86_400_000;

/** Whether somebody was refused with this key lately (V41). */
export function isRefused({ refusedAt }: SenderKey, now: number): boolean {
  return refusedAt !== null && now - Date.parse(refusedAt) < REFUSED_MS;
}

/** A key in a list. @param children its buttons */
export function KeyRow({
  of: key,
  timezone,
  children,
}: {
  readonly of: SenderKey;
  readonly timezone: string;
  readonly children?: ReactNode;
}) {
  const texts = useTexts();
  const { dateTime, relative } = useFormats();
  const now = useNow(MINUTE_MS);
  const facts = [
    texts.kinds[key.kind],
    key.scopes.map((scope) => texts.scopes[scope]).join(', '),
    key.lastUsedAt ? texts.used(dateTime(key.lastUsedAt, timezone)) : texts.neverUsed,
  ];
  return (
    <li>
      <div>
        <p>
          <bdi className="named">{key.name}</bdi> <KeyState of={key} now={now} />
        </p>
        <p className="fine">
          {texts.keyId} <code className="mono">{key.keyId}</code> · {facts.join(' · ')}
        </p>
        {key.live && key.expiresAt && (
          <p className="fine">
            {key.replacedBy
              ? texts.works(dateTime(key.expiresAt, timezone))
              : texts.expires(relative(key.expiresAt, now), dateTime(key.expiresAt, timezone))}
          </p>
        )}
        {isRefused(key, now) && key.refusedSince && key.refusedReason && (
          <p className="fine">
            <Icon name="warning" />{' '}
            {texts.refused(key.refusedCount, dateTime(key.refusedSince, timezone), texts.reasons[key.refusedReason])}
          </p>
        )}
        {key.foreignStoreAt && (
          <p className="fine">
            <Icon name="warning" /> {texts.foreignStore(dateTime(key.foreignStoreAt, timezone))}
          </p>
        )}
      </div>
      {children && <div className="row">{children}</div>}
    </li>
  );
}

function KeyState({ of: key, now }: { readonly of: SenderKey; readonly now: number }) {
  const { states } = useTexts();
  const endsIn = key.expiresAt ? Date.parse(key.expiresAt) - now : Number.POSITIVE_INFINITY;
  const [tone, icon, text] = !key.live
    ? (['quiet', 'cross', key.revokedAt ? states.revoked : key.replacedBy ? states.replaced : states.expired] as const)
    : key.replacedBy
      ? (['quiet', 'clock', states.replaced] as const)
      : endsIn < SOON_MS
        ? (['wait', 'warning', states.expires] as const)
        : (['good', 'check', states.works] as const);
  return (
    <span className={`badge tone-${tone}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}
