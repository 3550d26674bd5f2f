import { DUE_FOR_LONG, EXAMINED_WAITING, WHAT_WAITS } from '../../outbox/conditions.sql.js';
import { PARKED } from '../../outbox/parked.sql.js';
import { WAITS_SINCE } from '../../outbox/waits-since.sql.js';
import { addConditions, COUNTED, upTo } from '../../platform/conditions/condition.js';
import { orderDetails } from '../../platform/conditions/order-details.js';
import { AHEAD } from '../../platform/database/clock.js';
import { orderPage } from '../../platform/http/console-paths.js';

const LATE = "interval '5 minutes'";
const RECENT = "interval '24 hours'";

/**
 * SQL: whether an alert of the platform covers the restaurant: one that somebody has acknowledged covers only those that were in it then (G55).
 * @param key SQL of its `dedup_key`
 */
const isCoveredBy = (key: string, restaurantId: string) => `NOT EXISTS (
  SELECT FROM alerts known WHERE known.dedup_key = ${key} AND known.acknowledged_at IS NOT NULL AND ${restaurantId} <> ALL (known.members))`;

addConditions(
  {
    kind: 'ORDER_PARKED',
    meaning: 'orders are parked for one cause, and one subject of what the POS refused (O47), the last within 24 h',
    select: `SELECT restaurant_id, cause, count, newest_at, restaurant_id || ':' || coalesce(cause, '') || coalesce(':' || subject, ''),
        coalesce(${orderDetails('restaurant_id', 'event_key')}, '{}') || jsonb_build_object('subject', subject)
      FROM (
        SELECT place.id AS restaurant_id, job.cause, nullif(job.subject, 'other') AS subject, count(*)::int AS count,
               max(job.updated_at) FILTER (WHERE job.updated_at <= now()) AS newest_at,
               (array_agg(job.event_key ORDER BY job.updated_at DESC))[1] AS event_key
        FROM place CROSS JOIN LATERAL (
          SELECT event_key, cause, subject, updated_at FROM outbox_jobs
          WHERE restaurant_id = place.id AND ${PARKED.sql} AND updated_at > now() - ${RECENT}
          ORDER BY updated_at DESC LIMIT ${COUNTED}) AS job
        GROUP BY place.id, job.cause, nullif(job.subject, 'other')
      ) AS parked`,
    solved: `NOT EXISTS (
      SELECT FROM outbox_jobs WHERE restaurant_id = alerts.restaurant_id AND ${PARKED.sql}
        AND cause IS NOT DISTINCT FROM alerts.cause AND nullif(subject, 'other') IS NOT DISTINCT FROM alerts.details ->> 'subject')`,
    isUrgent: true,
    page: (restaurantId, { transactionKey }, count) =>
      count === 1 && transactionKey !== undefined ? orderPage(restaurantId, transactionKey) : undefined,
    words: () => ({
      en: {
        title: (n) => `${n === 1 ? '1 order is' : `${upTo(n)} orders are`} paid, but not in the POS`,
        closed: () => `solved, no order is parked for this reason any more`,
        ended: 'none was parked for this reason for 24 h; those of before are still parked, and not in the POS',
      },
      'pt-BR': {
        title: (n) => `${n === 1 ? '1 pedido pago não está' : `${upTo(n)} pedidos pagos não estão`} no PDV`,
        closed: () => `resolvido, nenhum pedido está parado por este motivo`,
        ended: 'nenhum parou por este motivo há 24 h; os de antes continuam parados e não estão no PDV',
      },
    }),
  },
  {
    kind: 'POS_REFUSES',
    meaning: 'every attempt of the restaurant fails: its POS is away, or refuses the sign-in',
    with: WHAT_WAITS,
    select: `SELECT restaurant_id, cause, count, NULL::timestamptz, restaurant_id::text, ${orderDetails('restaurant_id', 'event_key')} FROM refusing`,
    // an outage of the vendor
    folded: `restaurant_id IN (
      SELECT refusing.restaurant_id FROM refusing JOIN vendor USING (cause, short)
      WHERE ${isCoveredBy("'VENDOR_DOWN:' || cause || ':' || short", 'refusing.restaurant_id')})`,
    // its outage has ended, or it took an order since. By index, for each alert that closes: a founder may pause many restaurants at once
    solved: `EXISTS (SELECT FROM pos_outages WHERE restaurant_id = alerts.restaurant_id AND ended_at >= alerts.opened_at) OR EXISTS (
      SELECT FROM outbox_jobs job
      WHERE restaurant_id = alerts.restaurant_id AND status IN ('SENT', 'DLQ') AND status = 'SENT' AND action = 'CREATE'
        AND updated_at >= alerts.opened_at AND updated_at <= ${AHEAD}
        AND EXISTS (SELECT FROM delivery_attempts WHERE job_id = job.id AND outcome = 'SENT' AND started_at >= alerts.opened_at))`,
    areWaiting: true,
    words: () => ({
      en: {
        title: (n) => `the POS takes no orders; ${n === 1 ? '1 order waits' : `${upTo(n)} wait`}`,
        closed: () => `solved, the POS takes orders again`,
        ended: 'no order waits for the POS now, or nothing is sent to it; it has taken none since',
      },
      'pt-BR': {
        title: (n) => `o PDV não aceita pedidos; ${n === 1 ? '1 pedido espera' : `${upTo(n)} esperam`}`,
        closed: () => `resolvido, o PDV voltou a aceitar pedidos`,
        ended: 'nenhum pedido espera pelo PDV agora, ou nada é enviado a ele; desde então ele não aceitou nenhum',
      },
    }),
  },
  {
    kind: 'ORDER_LATE',
    meaning: 'orders or cancels have waited for the POS for more than 5 min',
    // ours: each of them is due, or under way, so that it waits for the relay
    with: `late AS MATERIALIZED (
      SELECT place.id AS restaurant_id, (array_agg(waiting.cause ORDER BY waiting.created_at))[1] AS cause, count(*)::int AS count,
             (array_agg(waiting.event_key ORDER BY waiting.created_at))[1] AS event_key, bool_and(${DUE_FOR_LONG}) AS ours
      FROM waiting JOIN place ON place.id = waiting.restaurant_id
      WHERE waiting.created_at < now() - ${LATE} AND place.id NOT IN (SELECT restaurant_id FROM refusing)
        AND place.id NOT IN (SELECT restaurant_id FROM silent)
        AND place.id NOT IN (SELECT id FROM resting)
      GROUP BY place.id
    )`,
    select: `SELECT restaurant_id, cause, count, NULL::timestamptz, restaurant_id::text, ${orderDetails('restaurant_id', 'event_key')} FROM late`,
    folded: `restaurant_id IN (SELECT restaurant_id FROM late WHERE coalesce(ours, true)) AND (
      EXISTS (SELECT FROM slow) OR EXISTS (SELECT FROM stopped) OR EXISTS (SELECT FROM backlog) AND ${isCoveredBy("'BACKLOG:all'", 'found.restaurant_id')})`,
    solved: `NOT EXISTS (
      SELECT FROM (
        SELECT id, created_at, updated_at FROM outbox_jobs WHERE restaurant_id = alerts.restaurant_id AND status IN ('PENDING', 'FAILED')
        ORDER BY next_run_at LIMIT ${EXAMINED_WAITING}) AS job
      WHERE ${WAITS_SINCE} < now() - ${LATE})`,
    areWaiting: true,
    words: () => ({
      en: {
        title: (n) =>
          `${n === 1 ? '1 order or cancel has' : `${upTo(n)} orders or cancels have`} waited for the POS for more than 5 min`,
        closed: () => `solved, none waits for so long any more`,
        ended: 'orders still wait; another alert, or the pause, says why',
      },
      'pt-BR': {
        title: (n) =>
          `${n === 1 ? '1 pedido ou cancelamento espera' : `${upTo(n)} pedidos ou cancelamentos esperam`} pelo PDV há mais de 5 min`,
        closed: () => `resolvido, nenhum espera mais tanto tempo`,
        ended: 'ainda há pedidos esperando; outro alerta, ou a pausa, diz por quê',
      },
    }),
  },
);
