import type { View } from '../../api/client.js';
import { type Column, Table } from '../../design/table.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { signed } from './answers.js';
import { useTexts } from './texts.js';

type Row = View<'PreviewRowView'>;

const TEXTS = ['reference', 'authorisation', 'terminal', 'tender'] as const;

/** The first rows of a file, as they are read. */
export function PreviewTable({ rows, timezone }: { readonly rows: readonly Row[]; readonly timezone: string }) {
  const { check: texts, kinds } = useTexts();
  const { amount, dateTime, shortDay, number } = useFormats();
  const columns: Column<Row>[] = [
    { key: 'line', header: texts.line, heading: true, cell: ({ line }) => number(line) },
    {
      ...{ key: 'when', header: texts.when },
      cell: ({ at, isDateOnly }) =>
        at && <span className="plain">{isDateOnly ? shortDay(dateIn(timezone, at)) : dateTime(at, timezone)}</span>,
    },
    {
      ...{ key: 'amount', header: texts.amount, end: true },
      cell: ({ cents, kind }) => cents !== null && <span className="plain number">{amount(signed(cents, kind))}</span>,
    },
    {
      ...{ key: 'kind', header: texts.kind },
      cell: ({ kind, problem }) =>
        problem === null ? (
          kind && <span className="plain">{kinds[kind]}</span>
        ) : (
          <span className="plain field-error" lang="en">
            {problem}
          </span>
        ),
    },
    // a column that no row has is not shown
    ...TEXTS.filter((key) => rows.some((row) => row[key] !== null)).map((key) => ({
      ...{ key, header: texts[key] },
      cell: (row: Row) => row[key] !== null && <bdi className="named">{row[key]}</bdi>,
    })),
  ];
  return <Table caption={texts.title} columns={columns} rows={rows} rowKey={({ line }) => String(line)} />;
}
