import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { ChooseFile, MAX_FILE_BYTES } from '../../design/choose-file.js';
import { Confirm } from '../../design/confirm.js';
import { Answer } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useCatalogueTexts } from './texts.js';

type Replaced = View<'CatalogueReplacedView'>;
type Meta = View<'CatalogueMetaView'>;

const ROWS = 5;

/** The catalogue of the POS: a file is previewed, then replaces it; it is removed (I13 to I15). */
export function CataloguePanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const texts = useCatalogueTexts();
  const path = { restaurantId: restaurant.id };
  const catalogue = useQuery({
    queryKey: ['catalogue-meta', restaurant.id],
    queryFn: async ({ signal }) => {
      const params = { path, query: { limit: 1 } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/catalogue', { params, signal }))).meta;
    },
  });
  const [done, setDone] = useState<string>();
  const [file, setFile] = useState<File>();
  const [isTooLarge, setTooLarge] = useState(false);
  const put = async (of: File, preview: boolean) =>
    (
      await answerOf(
        api.PUT('/restaurants/{restaurantId}/catalogue', {
          params: { path, query: { preview } },
          // the bytes as they are: the relay finds out their encoding
          body: of as unknown as string,
          bodySerializer: (body) => body,
          headers: { 'Content-Type': 'text/csv' },
        }),
      )
    ).data;
  const previewing = useMutation({ mutationFn: (of: File) => put(of, true), onSuccess: (_, of) => setFile(of) });
  const replacing = useMutation({
    mutationFn: (of: File) => put(of, false),
    onSuccess: async ({ count }) => {
      end(texts.replaced(count));
      await queries.invalidateQueries();
    },
  });
  const end = (said?: string) => {
    setFile(undefined);
    previewing.reset();
    setDone(said);
  };
  const take = (of: File) => {
    const isWithin = of.size <= MAX_FILE_BYTES;
    setTooLarge(!isWithin);
    if (!isWithin) return;
    end();
    replacing.reset();
    previewing.mutate(of);
  };
  return (
    <Panel title={texts.title}>
      <div className="stack">
        <p className="fine">{texts.help}</p>
        <Answer query={catalogue} lines={1}>
          {(meta) => <Standing meta={meta} restaurant={restaurant} onRemoved={() => end(texts.removed)} />}
        </Answer>
        <ChooseFile busy={previewing.isPending} onFile={take}>
          {texts.choose}
        </ChooseFile>
        {isTooLarge && (
          <p className="field-error" role="alert">
            {texts.tooLarge}
          </p>
        )}
        <Outcome
          done={done}
          error={previewing.error ?? replacing.error}
          known={{
            TOO_MANY_UPLOADS: texts.busy,
            PAYLOAD_TOO_LARGE: texts.tooLarge,
            CATALOGUE_CHANGED: texts.changedMeanwhile,
          }}
        />
        {file && previewing.data && (
          <Preview
            preview={previewing.data}
            busy={replacing.isPending}
            onReplace={() => replacing.mutate(file)}
            onLeave={() => end()}
          />
        )}
      </div>
    </Panel>
  );
}

/** How many products there are, since when, and a button that removes them. */
function Standing({
  meta: { count, replacedAt, replacedBy },
  restaurant,
  onRemoved,
}: {
  readonly meta: Meta;
  readonly restaurant: OwnRestaurant;
  readonly onRemoved: () => void;
}) {
  const texts = useCatalogueTexts();
  const { dateTime, number } = useFormats();
  const [isLeaving, setLeaving] = useState(false);
  const removing = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/restaurants/{restaurantId}/catalogue', { params: { path: { restaurantId: restaurant.id } } }),
      ),
    onSuccess: async () => {
      onRemoved();
      await queries.invalidateQueries();
    },
    onSettled: () => setLeaving(false),
  });
  if (replacedAt === null) return <p className="quiet">{texts.none}</p>;
  return (
    <>
      <p>{texts.standing(number(count), dateTime(replacedAt, restaurant.timezone), replacedBy)}</p>
      <div className="row">
        <Button onClick={() => setLeaving(true)}>{texts.remove}</Button>
      </div>
      <Outcome error={removing.error} />
      <Confirm
        open={isLeaving}
        title={texts.removeTitle}
        action={texts.remove}
        busy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onClose={() => setLeaving(false)}
      >
        <p>{texts.removeHelp}</p>
      </Confirm>
    </>
  );
}

function Preview({
  preview,
  busy,
  onReplace,
  onLeave,
}: {
  readonly preview: Replaced;
  readonly busy: boolean;
  readonly onReplace: () => void;
  readonly onLeave: () => void;
}) {
  const texts = useCatalogueTexts();
  const { number, amount } = useFormats();
  const { count, added, changed, removed, duplicates, unreadable, problems, rows, columns } = preview;
  const isSame = added + changed + removed === 0;
  const mayReplace = unreadable === 0 && !isSame;
  return (
    <section className="stack" aria-label={texts.preview}>
      <p>{texts.figures(number(count), number(added), number(changed), number(removed))}</p>
      {duplicates > 0 && <p className="fine">{texts.duplicates(duplicates)}</p>}
      {unreadable === 0 && isSame && <p>{texts.same}</p>}
      {unreadable > 0 && (
        <div role="alert">
          <p className="field-error">
            <Icon name="warning" /> {texts.unreadable(unreadable)}
          </p>
          <ul>
            {problems.map(({ line, column, reason }) => (
              <li key={`${line} ${column}`}>{texts.problem(line, columns[column] ?? column, reason)}</li>
            ))}
          </ul>
        </div>
      )}
      <Table
        caption={texts.firstRows}
        rows={rows.slice(0, ROWS)}
        rowKey={({ code }) => code}
        columns={[
          { key: 'code', header: texts.code, heading: true, cell: ({ code }) => code },
          { key: 'name', header: texts.name, cell: ({ name }) => name ?? '–' },
          {
            key: 'price',
            header: texts.price,
            end: true,
            cell: ({ priceCents }) => (priceCents === null ? '–' : amount(priceCents)),
          },
        ]}
      />
      <div className="row">
        {mayReplace && (
          <Button kind="primary" icon="check" busy={busy} onClick={onReplace}>
            {texts.replace}
          </Button>
        )}
        <Button onClick={onLeave}>{texts.leave}</Button>
      </div>
    </section>
  );
}
