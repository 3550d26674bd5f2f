import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNow } from '../browser/now.js';
import { Confirm } from '../design/confirm.js';
import { SelectField } from '../design/field.js';
import { Outcome } from '../design/outcome.js';
import { useFormats } from '../i18n/formats.js';
import { isolated } from '../i18n/isolated.js';
import type { KeysApi, SenderKey } from './keys-api.js';
import type { ShownKey } from './new-key.js';
import { useTexts } from './texts.js';

const HOURS = [24, 168, 720, 0] as const;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Asks how long the old key still works, and says until when; then replaces it (V3). */
export function RotateKey({
  of: key,
  calls,
  timezone,
  onRotated,
  onClose,
}: {
  readonly of: SenderKey;
  readonly calls: KeysApi;
  readonly timezone: string;
  readonly onRotated: (shown: ShownKey) => unknown;
  readonly onClose: () => void;
}) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const now = useNow(MINUTE_MS);
  const [hours, setHours] = useState<number>(HOURS[0]);
  const rotate = useMutation({
    mutationFn: () => calls.rotate(key.id, hours),
    onSuccess: (made) => onRotated({ made, replaced: { endsAt: hours === 0 ? null : endOf(key, hours, Date.now()) } }),
  });
  const isCut = key.expiresAt !== null && Date.parse(key.expiresAt) < now + hours * HOUR_MS;
  return (
    <Confirm
      open
      title={texts.rotateTitle(isolated(key.name))}
      action={texts.rotate}
      busy={rotate.isPending}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <p>{texts.rotateText}</p>
      <SelectField label={texts.overlap} value={hours} onChange={({ target }) => setHours(Number(target.value))}>
        {HOURS.map((some) => (
          <option key={some} value={some}>
            {texts.overlaps[some]}
          </option>
        ))}
      </SelectField>
      <p>
        {hours === 0 ? texts.rotateNow : texts.rotateUntil(dateTime(endOf(key, hours, now), timezone))}{' '}
        {isCut && texts.ownEnd}
      </p>
      <Outcome error={rotate.error} known={{ TOO_MANY_KEYS: texts.tooMany, KEY_ENDED: texts.keyEnded }} />
    </Confirm>
  );
}

/** When a replaced key ends: never later than it would have. */
function endOf({ expiresAt }: SenderKey, hours: number, now: number): string {
  const overlap = new Date(now + hours * HOUR_MS).toISOString();
  return expiresAt !== null && expiresAt < overlap ? expiresAt : overlap;
}
