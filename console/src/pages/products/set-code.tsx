import { Button } from '../../design/button.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { setCode, useRemoveCode } from './queries.js';
import { useTexts } from './texts.js';

/** What has a code of its own: a product or a means of payment, by the terminal's code. */
export interface Coded {
  readonly kind: 'ITEM' | 'TENDER';
  readonly terminalCode: string;
  readonly posCode: string | null;
  readonly posName: string | null;
}

/** As long as the relay takes one (L231). */
const MAX_CODE = 255;

/** Changes or removes what the POS calls a product or a means of payment (I7). */
export function SetCode({
  coded,
  restaurantId,
  onDone,
}: {
  readonly coded: Coded;
  readonly restaurantId: string;
  /** @param words what was done; absent: nothing */
  readonly onDone: (words?: string) => void;
}) {
  const { set: texts } = useTexts();
  const { kind, terminalCode, posCode, posName } = coded;
  const removing = useRemoveCode(restaurantId, kind);
  const { field, props, sending, rest } = useForm({
    initial: { posCode: posCode ?? '', name: posName ?? '' },
    check: (values) => (values.posCode.trim() === '' ? { posCode: texts.codeError } : {}),
    send: (values) => setCode(restaurantId, { kind, terminalCode, ...values }),
    onSent: () => onDone(texts.saved),
    words: { posCode: texts.codeError, name: texts.nameError },
  });
  return (
    <form {...props}>
      <Field label={texts.posCode} maxLength={MAX_CODE} autoComplete="off" spellCheck={false} {...field('posCode')} />
      {kind === 'ITEM' && (
        <Field
          label={texts.name}
          hint={texts.nameHint}
          maxLength={MAX_CODE}
          autoComplete="off"
          spellCheck={false}
          {...field('name')}
        />
      )}
      <Outcome error={rest ?? removing.error} known={{ TOO_MANY_CODES: texts.tooMany }} />
      <div className="row">
        <Button type="submit" kind="primary" busy={sending.isPending}>
          {texts.save}
        </Button>
        {posCode !== null && (
          <Button
            kind="danger"
            busy={removing.isPending}
            onClick={() => removing.mutate(terminalCode, { onSuccess: () => onDone(texts.removed) })}
          >
            {texts.remove}
          </Button>
        )}
        <Button kind="quiet" onClick={() => onDone()}>
          {texts.cancel}
        </Button>
      </div>
    </form>
  );
}
