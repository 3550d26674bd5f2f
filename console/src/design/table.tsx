import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** aligned at the end, as numbers are */
  readonly end?: boolean;
  /** the header of the row, and the title of its card */
  readonly heading?: boolean;
}

/**
 * A table; in little room each row is a card with the headers as labels. The roles are explicit because screen readers ignore
 * tables whose `display` is changed.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  dense = false,
}: {
  /** what is in it; for screen readers */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** for short columns: it stays a table in half the width */
  readonly dense?: boolean;
}) {
  return (
    <div className={`table-room ${dense ? 'table-dense' : ''}`}>
      <table role="table">
        <caption className="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, header, end }) => (
              <th key={key} role="columnheader" scope="col" className={end ? 'end' : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map(({ key, header, cell, end, heading }) =>
                heading ? (
                  <th key={key} role="rowheader" scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} role="cell" data-label={header} className={end ? 'end' : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
