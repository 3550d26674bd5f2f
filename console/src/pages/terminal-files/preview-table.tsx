import type { View } from '../../api/client.js';
import { Icon } from '../../design/icons.js';
import { type Column, Table } from '../../design/table.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { signed } from './answers.js';
import { useTexts } from './texts.js';
import './pairs.css';

type Row = View<'PreviewRowView'>;

const TEXTS = ['reference', 'authorisation', 'terminal', 'tender'] as const;

/** The first rows of a file, as they are read, each beside the sale that it would be (N29). */
export function PreviewTable({ rows, timezone }: { readonly rows: readonly Row[]; readonly timezone: string }) {
  const texts = useTexts();
  const { amount, dateTime, shortDay, number } = useFormats();
  const isJudged = rows.some(({ answer }) => answer !== null);
  const file: Column<Row> = {
    ...{ key: 'file', header: texts.columns.file, heading: true },
    cell: (row) => {
      const { at, isDateOnly, cents, kind, problem, line } = row;
      return (
        <div className="pair-side">
          {cents !== null && <strong className="number pair-amount">{amount(signed(cents, kind))}</strong>}{' '}
          {at && <span>{isDateOnly ? shortDay(dateIn(timezone, at)) : dateTime(at, timezone)}</span>}
          {problem !== null && (
            <div className="field-error" lang="en">
              {problem}
            </div>
          )}
          <span className="fine file-payment">
            {kind !== null && kind !== 'SALE' && <span>{texts.kinds[kind]}</span>}
            {TEXTS.filter((name) => row[name] !== null).map((name) => (
              <bdi key={name} className="named">
                {name === 'tender' ? row.tender : texts[name](row[name] ?? '')}
              </bdi>
            ))}
            <span>{texts.line(number(line))}</span>
          </span>
        </div>
      );
    },
  };
  const here: Column<Row> = {
    ...{ key: 'here', header: texts.columns.here },
    cell: ({ answer, sale, kind }) =>
      sale ? (
        <div className={`pair-side ${answer === 'SUGGESTED' ? 'pair-maybe' : ''}`}>
          <strong className="number pair-amount">{amount(sale.cents)}</strong>{' '}
          <span>{dateTime(sale.at, timezone)}</span>
          <div className="fine">
            {answer === 'MATCHED' && <Icon name="check" />}{' '}
            <bdi className="named">{sale.transactionNumber || sale.transactionKey}</bdi>
          </div>
        </div>
      ) : (
        <div className="pair-side pair-gap fine">
          {answer !== null && kind === 'SALE' ? texts.check.noSale : texts.gaps.none}
        </div>
      ),
  };
  const columns = isJudged ? [file, here] : [file];
  return (
    <div className="file-rows">
      <Table caption={texts.check.title} columns={columns} rows={rows} rowKey={({ line }) => String(line)} />
    </div>
  );
}
