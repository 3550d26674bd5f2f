import { Button } from '../../design/button.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { mayAdminister, type OwnRestaurant } from '../../session/restaurants.js';
import { AtPos } from './at-pos.js';
import { type Code, setCode } from './queries.js';
import { useTexts } from './texts.js';

/** Codes of one kind, with who set them. */
export function CodeTable({
  caption,
  codes,
  restaurant,
}: {
  readonly caption: string;
  readonly codes: readonly Code[];
  readonly restaurant: OwnRestaurant;
}) {
  const { tenders: texts, sold } = useTexts();
  const { dateTime } = useFormats();
  const columns: Column<Code>[] = [
    {
      ...{ key: 'terminal', header: texts.terminal, heading: true },
      cell: ({ terminalCode }) => <bdi className="mono">{terminalCode.replace('|', ' · ')}</bdi>,
    },
    {
      ...{ key: 'pos', header: sold.atPos },
      cell: ({ kind, terminalCode, posCode, name }) => (
        <AtPos
          coded={{ kind: kind as 'ITEM' | 'TENDER', terminalCode, posCode, posName: name }}
          name={terminalCode}
          restaurantId={restaurant.id}
          mayChange={mayAdminister(restaurant.role)}
          unset={null}
        />
      ),
    },
    {
      ...{ key: 'changed', header: texts.changed },
      cell: ({ changedBy, changedAt }) => (
        <bdi className="fine">{texts.by(changedBy ?? texts.somebody, dateTime(changedAt, restaurant.timezone))}</bdi>
      ),
    },
  ];
  return <Table caption={caption} columns={columns} rows={codes} rowKey={({ terminalCode }) => terminalCode} />;
}

/** Sets the code of a means of payment, or of a brand of it (I6). */
export function AddTender({ restaurantId }: { readonly restaurantId: string }) {
  const { tenders: texts, set } = useTexts();
  const { field, props, sending, rest, clear } = useForm({
    initial: { type: '', brand: '', posCode: '' },
    check: ({ type, posCode }) => ({
      ...((type.trim() === '' || type.includes('|')) && { type: texts.typeError }),
      ...(posCode.trim() === '' && { posCode: set.codeError }),
    }),
    send: ({ type, brand, posCode }) => {
      const terminalCode = brand === '' ? type.trim() : `${type.trim()}|${brand}`;
      return setCode(restaurantId, { kind: 'TENDER', terminalCode, posCode, name: '' });
    },
    onSent: () => {
      clear();
    },
    words: { posCode: set.codeError, terminalCode: texts.typeError },
  });
  return (
    <form {...props}>
      <div className="products-tender">
        <Field label={texts.type} maxLength={100} autoComplete="off" {...field('type')} />
        <Field label={texts.brand} hint={texts.brandHint} maxLength={40} autoComplete="off" {...field('brand')} />
        <Field label={set.posCode} maxLength={255} autoComplete="off" spellCheck={false} {...field('posCode')} />
      </div>
      <Outcome done={sending.isSuccess && set.saved} error={rest} known={{ TOO_MANY_CODES: set.tooMany }} />
      <div className="row">
        <Button type="submit" busy={sending.isPending}>
          {texts.add}
        </Button>
      </div>
    </form>
  );
}
