import { useEffect, useState } from 'react';
import type { View } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Answer, ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { setQuery } from '../../router/location.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { salesOf } from './answers.js';
import { ConfirmFile, isQuestion } from './claim-question.js';
import { MappingForm } from './mapping-form.js';
import { PreviewTable } from './preview-table.js';
import { type FileDetail, type Mapping, useConfirm, usePreview } from './queries.js';
import { RemoveFile } from './remove-file.js';
import { useTexts } from './texts.js';

type Preview = View<'FilePreviewView'>;

/** How many unreadable rows are named; the first ones mostly have one cause. */
const NAMED_PROBLEMS = 3;

const NOTHING_ASKED = { unknownKinds: [], unknownStatuses: [] };

/** How a file is read, and the yes after which it is compared; before it nothing counts. */
export function CheckFile({ restaurant, file }: { readonly restaurant: OwnRestaurant; readonly file: FileDetail }) {
  const texts = useTexts();
  const [mapping, map] = useState<Mapping>(file.mapping);
  const preview = usePreview(restaurant.id, file, mapping);
  const known = preview.data;
  const found = preview.isPlaceholderData ? undefined : known;
  // the values of a column that was just chosen, as the relay guesses them
  useEffect(() => {
    const kinds = mapping.kind !== null && mapping.kinds.length === 0 ? (found?.kinds ?? []) : [];
    const statuses = mapping.status !== null && mapping.statuses.length === 0 ? (found?.statuses ?? []) : [];
    if (kinds.length + statuses.length > 0)
      map({ ...mapping, ...(kinds.length > 0 && { kinds }), ...(statuses.length > 0 && { statuses }) });
  }, [mapping, found]);
  const isDoubtful =
    known !== undefined &&
    (known.counts.unreadable > 0 || known.counts.sales.count === 0 || mapping.reference === null);
  // open from the start when something is wrong; a person closes it
  const [isOpen, setOpen] = useState(isDoubtful);
  return (
    <>
      <Answer query={preview} lines={4}>
        {(found) => (
          <Reading
            restaurantId={restaurant.id}
            file={file}
            mapping={mapping}
            preview={found}
            isReading={preview.isPlaceholderData}
          />
        )}
      </Answer>
      <Panel title={texts.mapping.title}>
        <details className="file-mapping" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{texts.mapping.change}</summary>
          <MappingForm file={file} mapping={mapping} asked={known ?? NOTHING_ASKED} onChange={map} />
        </details>
      </Panel>
      {known && known.rows.length > 0 && (
        <Panel title={texts.check.preview(known.rows.length, known.counts.rows)} className="file-preview">
          <PreviewTable rows={known.rows} timezone={restaurant.timezone} />
        </Panel>
      )}
    </>
  );
}

/** What the rows are in all, the days, and the buttons. */
function Reading({
  restaurantId,
  file,
  mapping,
  preview: { counts, days, problems, claim },
  isReading,
}: {
  readonly restaurantId: string;
  readonly file: FileDetail;
  readonly mapping: Mapping;
  readonly preview: Preview;
  readonly isReading: boolean;
}) {
  const { check: texts } = useTexts();
  const { amount, number } = useFormats();
  const [typed, type] = useState<Partial<Record<'from' | 'to', string>>>({});
  const confirming = useConfirm(restaurantId, file.id);
  const isAgain = file.state === 'CONFIRMED';
  const before = salesOf(file.summary);
  const done = () => {
    if (isAgain) setQuery({ read: undefined });
  };
  const confirm = (isClaimed: boolean) => {
    const days = { ...(from && { from }), ...(to && { to }) };
    confirming.mutate({ mapping, ...days, claim: isClaimed, ...(isAgain && { again: true }) }, { onSuccess: done });
  };
  const { sales, refunds, chargebacks, ignored, unreadable } = counts;
  const from = typed.from ?? days?.from ?? '';
  const to = typed.to ?? days?.to ?? '';
  const isWrong = from !== '' && to !== '' && to < from;
  const hasRows = sales.count + refunds.count + chargebacks.count > 0;
  return (
    <Panel title={texts.title}>
      <div className="stack">
        <div role="status">
          <p className="file-sum">
            <strong className="number">{amount(sales.cents)}</strong> <span>{texts.sales(sales.count)}</span>
          </p>
        </div>
        {isAgain && (
          <p>
            {texts.until(before.count, amount(before.cents))} {texts.againHelp}
          </p>
        )}
        {sales.count > 0 && <p>{texts.question}</p>}
        {claim && claim.sales > 0 && (
          <p className={claim.asks ? 'file-doubt' : undefined}>
            <Icon name={claim.asks ? 'warning' : 'check'} /> {texts.found(claim.sales - claim.missing, claim.sales)}
          </p>
        )}
        <ul className="plain-list fine">
          {refunds.count > 0 && <li>{texts.refunds(refunds.count, amount(-refunds.cents))}</li>}
          {chargebacks.count > 0 && <li>{texts.chargebacks(chargebacks.count, amount(-chargebacks.cents))}</li>}
          {ignored.count > 0 && <li>{texts.ignored(ignored.count)}</li>}
        </ul>
        {(unreadable > 0 || sales.count === 0) && (
          <div className="file-doubt">
            <p>
              <Icon name="warning" />{' '}
              {sales.count === 0 ? texts.noSales : `${texts.unreadable(unreadable)}. ${texts.unreadableHelp}`}
            </p>
            <ul>
              {problems.slice(0, NAMED_PROBLEMS).map(({ line, problem }) => (
                <li key={line}>
                  {texts.line} {number(line)}: <span lang="en">{problem}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {sales.count > 0 && mapping.reference === null && (
          <p className="file-doubt">
            <Icon name="warning" /> {texts.noReference}
          </p>
        )}
        {hasRows && (
          <>
            <div className="file-days">
              {(['from', 'to'] as const).map((end) => (
                <Field
                  key={end}
                  type="date"
                  label={texts[end]}
                  value={end === 'from' ? from : to}
                  error={end === 'to' && isWrong ? texts.daysWrong : undefined}
                  onChange={({ target }) => type((before) => ({ ...before, [end]: target.value }))}
                />
              ))}
            </div>
            <p className="fine">{texts.daysHelp}</p>
          </>
        )}
        <div className="row">
          {hasRows && (
            <ConfirmFile
              text={isAgain ? texts.confirmAgain : texts.confirm}
              claim={claim}
              isBusy={confirming.isPending || isReading}
              error={confirming.error}
              onConfirm={(isClaimed) => !isWrong && confirm(isClaimed)}
            />
          )}
          {isAgain ? (
            <Button kind="quiet" icon="back" onClick={done}>
              {texts.notAgain}
            </Button>
          ) : (
            <RemoveFile
              restaurantId={restaurantId}
              fileId={file.id}
              texts={{ remove: texts.remove, title: texts.removeTitle, help: texts.removeHelp }}
            />
          )}
        </div>
        {confirming.error && !isQuestion(confirming.error) && (
          <div role="alert">
            <ErrorText error={confirming.error} />
          </div>
        )}
      </div>
    </Panel>
  );
}
