import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { every } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Answer } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { AddPrinter } from './add-printer.js';
import { useTexts } from './texts.js';

type Printer = View<'PrinterView'>;

/** A new printer is seen soon after its address is entered. */
const PRINTERS_MS = 10_000;

/** The printers of a restaurant. */
export function usePrinters(restaurantId: string) {
  return useQuery({
    queryKey: ['printers', restaurantId],
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/printers', { params, signal }))).data;
    },
    ...every(PRINTERS_MS),
  });
}

/** The printers of the kitchen: when each was last seen and what it says; one is added, and its address shown once (K10). */
export function PrintersPanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { printers: texts } = useTexts();
  const queries = useQueryClient();
  const printers = usePrinters(restaurant.id);
  const readAgain = () => queries.invalidateQueries({ queryKey: ['printers', restaurant.id] });
  return (
    <Panel title={texts.title}>
      <p className="fine printers-intro">{texts.intro}</p>
      <Answer query={printers} lines={1}>
        {(known) => <PrinterList printers={known} restaurant={restaurant} readAgain={readAgain} />}
      </Answer>
      <AddPrinter restaurantId={restaurant.id} onAdded={readAgain} />
    </Panel>
  );
}

function PrinterList({
  printers,
  restaurant,
  readAgain,
}: {
  readonly printers: readonly Printer[];
  readonly restaurant: OwnRestaurant;
  readonly readAgain: () => Promise<void>;
}) {
  const { printers: texts } = useTexts();
  const { dateTime } = useFormats();
  const [leaving, setLeaving] = useState<Printer>();
  const [done, setDone] = useState<string>();
  const removing = useMutation({
    mutationFn: ({ id: printerId }: Printer) =>
      answerOf(
        api.DELETE('/restaurants/{restaurantId}/printers/{printerId}', {
          params: { path: { restaurantId: restaurant.id, printerId } },
        }),
      ),
    onSuccess: async (_, { name }) => {
      await readAgain();
      setDone(texts.removed(isolated(name)));
    },
    onSettled: () => setLeaving(undefined),
  });
  return (
    <>
      {printers.length === 0 ? (
        <p className="quiet">{texts.none}</p>
      ) : (
        <ul className="printers" aria-label={texts.caption}>
          {printers.map((printer) => (
            <li key={printer.id}>
              <div>
                <p>
                  <bdi className="named">{printer.name}</bdi> <PrinterState printer={printer} />
                </p>
                <p className="fine">
                  {texts.widths[printer.width]}
                  {printer.lastPollAt && ` · ${texts.seen(dateTime(printer.lastPollAt, restaurant.timezone))}`}
                </p>
              </div>
              <Button
                kind="danger"
                aria-label={`${texts.remove}: ${isolated(printer.name)}`}
                onClick={() => setLeaving(printer)}
              >
                {texts.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Outcome done={done} error={removing.error} />
      {leaving && (
        <Confirm
          open
          title={texts.removeTitle(isolated(leaving.name))}
          action={texts.remove}
          busy={removing.isPending}
          onConfirm={() => removing.mutate(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>{texts.removeText}</p>
        </Confirm>
      )}
    </>
  );
}

/** What a printer last said of itself, in its own words unless it is ready. */
function PrinterState({ printer: { away, lastPollAt, status } }: { readonly printer: Printer }) {
  const { states } = useTexts().printers;
  const isReady = status === null || status.startsWith('2');
  if (lastPollAt === null)
    return (
      <span className="badge tone-quiet">
        <Icon name="clock" />
        {states.new}
      </span>
    );
  if (away)
    return (
      <span className="badge tone-bad">
        <Icon name="offline" />
        {states.away}
      </span>
    );
  return (
    <span className={`badge tone-${isReady ? 'good' : 'wait'}`}>
      <Icon name={isReady ? 'check' : 'warning'} />
      {isReady ? states.ready : <bdi lang="en">{status}</bdi>}
    </span>
  );
}
