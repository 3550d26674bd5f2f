import { NOT_ACCEPTED } from '../../outbox/conditions.sql.js';
import { addConditions, COUNTED, upTo } from '../../platform/conditions/condition.js';
import { orderDetails } from '../../platform/conditions/order-details.js';
import { orderPage } from '../../platform/http/console-paths.js';

/** SQL: when the business day of a row of `restaurants` began. */
const TODAY = '(business_day(now(), timezone, day_closes_at) + day_closes_at::time) AT TIME ZONE timezone';

addConditions({
  kind: 'POS_SILENT',
  meaning:
    'a POS that fetches its orders has not asked for 3 min while some wait, or for 30 min of a business day with sales',
  select: `SELECT silent.restaurant_id, NULL, due.count, NULL::timestamptz, silent.restaurant_id::text,
      CASE WHEN silent.polled_at IS NOT NULL THEN jsonb_build_object('since', silent.polled_at) END
    FROM silent
    JOIN restaurants ON restaurants.id = silent.restaurant_id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count FROM (
        SELECT FROM outbox_jobs
        WHERE restaurant_id = silent.restaurant_id AND status IN ('PENDING', 'FAILED') AND next_run_at <= now() - interval '3 minutes'
          -- nothing of a paused restaurant is offered (O49)
          AND silent.restaurant_id NOT IN (SELECT id FROM paused)
        ORDER BY next_run_at LIMIT ${COUNTED}) AS job) AS due
    WHERE due.count > 0 OR (silent.is_long AND EXISTS (
      SELECT FROM terminal_events
      WHERE restaurant_id = silent.restaurant_id
        AND received_at >= ${TODAY}))`,
  solved: `EXISTS (SELECT FROM pos_credentials WHERE restaurant_id = alerts.restaurant_id AND polled_at >= alerts.opened_at)`,
  words: () => ({
    en: {
      title: (n) =>
        n === 0
          ? 'the POS has stopped asking for orders'
          : `the POS does not fetch its orders; ${n === 1 ? '1 waits' : `${upTo(n)} wait`}`,
      closed: () => 'solved, the POS fetches its orders again',
      ended: 'no order waits to be fetched now; the POS has not asked since',
      help: 'See whether the POS is on and has a network; the set-up says when it last asked. Do not enter the orders by hand: they are fetched when it is back.',
    },
    'pt-BR': {
      title: (n) =>
        n === 0
          ? 'o PDV parou de buscar pedidos'
          : `o PDV não busca os pedidos; ${n === 1 ? '1 espera' : `${upTo(n)} esperam`}`,
      closed: () => 'resolvido, o PDV voltou a buscar os pedidos',
      ended: 'nenhum pedido espera ser buscado agora; desde então o PDV não perguntou',
      help: 'Veja se o PDV está ligado e com rede; os ajustes dizem quando ele buscou por último. Não lance os pedidos à mão: ele os busca quando voltar.',
    },
  }),
});

addConditions({
  kind: 'NOT_ACCEPTED',
  meaning: 'a POS that accepts orders has neither accepted nor refused some of this business day for 5 min',
  select: `SELECT restaurant_id, NULL, count, NULL::timestamptz, restaurant_id::text, ${orderDetails('restaurant_id', 'event_key')}
    FROM (
      SELECT place.id AS restaurant_id, count(*)::int AS count, (array_agg(unheard.event_key ORDER BY unheard.delivered_at))[1] AS event_key
      FROM place JOIN restaurants ON restaurants.id = place.id AND restaurants.pos_vendor = 'open-delivery'
      CROSS JOIN LATERAL (${NOT_ACCEPTED('place.id', TODAY, COUNTED)}) AS unheard
      GROUP BY place.id
    ) AS silent`,
  solved: `NOT EXISTS (${NOT_ACCEPTED('alerts.restaurant_id', "alerts.opened_at - interval '1 day'", 1)})`,
  page: (restaurantId, { transactionKey }, count) =>
    count === 1 && transactionKey !== undefined ? orderPage(restaurantId, transactionKey) : undefined,
  words: () => ({
    en: {
      title: (n) =>
        `the POS has ${n === 1 ? '1 order' : `${upTo(n)} orders`}, and has not said whether it accepts ${n === 1 ? 'it' : 'them'}`,
      closed: () => 'solved, the POS has accepted or refused its orders',
      ended: 'the POS has not said whether it accepts orders of before; nobody is reminded of them any more',
      help: 'Look at the POS, and ask in the kitchen. If nobody there has seen an order, prepare it and enter it in the POS yourself; the relay has no further step for it. Press “I take care of it” at this alert, and tell the maker of the POS that it does not confirm orders.',
    },
    'pt-BR': {
      title: (n) =>
        `o PDV recebeu ${n === 1 ? '1 pedido' : `${upTo(n)} pedidos`} e não disse se ${n === 1 ? 'o aceita' : 'os aceita'}`,
      closed: () => 'resolvido, o PDV aceitou ou recusou os pedidos',
      ended: 'o PDV não disse se aceita pedidos de antes; ninguém mais é avisado deles',
      help: 'Confira no PDV e pergunte na cozinha. Se ninguém viu um pedido, prepare-o e lance-o você mesmo no PDV; o relay não precisa de mais nada. Aperte “Eu cuido disso” neste alerta e avise o fornecedor do PDV de que ele não confirma pedidos.',
    },
  }),
});
