import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Copyable } from '../../design/copy.js';
import { Field, SelectField } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { isolated } from '../../i18n/isolated.js';
import { useTexts } from './texts.js';

/** The widths of paper, the usual one first. */
const WIDTHS = [48, 32] as const;

/** Adds a printer, and shows its address: never again, for the relay stores only its digest (K3). */
export function AddPrinter({
  restaurantId,
  onAdded,
}: {
  readonly restaurantId: string;
  readonly onAdded: () => unknown;
}) {
  const { printers: texts } = useTexts();
  const { values, change, clear, field, props, sending, rest } = useForm({
    initial: { name: '', width: '48' },
    send: ({ name, width }) =>
      answerOf(
        api.POST('/restaurants/{restaurantId}/printers', {
          params: { path: { restaurantId } },
          body: { name: name.trim(), width: width === '32' ? 32 : 48 },
        }),
      ),
    onSent: () => {
      clear();
      return onAdded();
    },
    words: { name: texts.nameError },
  });
  const added = sending.data?.data;
  return (
    <form {...props}>
      <Field label={texts.name} required maxLength={60} autoComplete="off" {...field('name')} />
      <SelectField
        label={texts.width}
        name="width"
        value={values.width}
        onChange={({ target }) => change({ width: target.value })}
      >
        {WIDTHS.map((width) => (
          <option key={width} value={width}>
            {texts.widths[width]}
          </option>
        ))}
      </SelectField>
      <Outcome
        done={added && texts.added(isolated(added.name))}
        error={rest}
        known={{ TOO_MANY_PRINTERS: texts.tooMany }}
      />
      {added && (
        <div className="stack">
          <p>{texts.address}</p>
          {/* without PUBLIC_URL it is only a path */}
          <Copyable key={added.id} text={new URL(added.address, location.origin).href} />
          {added.address.startsWith('/') && <p className="fine">{texts.addressHint}</p>}
        </div>
      )}
      <div className="row">
        <Button type="submit" busy={sending.isPending}>
          {texts.add}
        </Button>
      </div>
    </form>
  );
}
