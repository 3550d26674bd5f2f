import { addConditions, COUNTED, upTo } from '../../platform/conditions/condition.js';

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
        AND received_at >= (business_day(now(), timezone, day_closes_at) + day_closes_at::time) AT TIME ZONE timezone))`,
  words: () => ({
    en: {
      title: (n) =>
        n === 0
          ? 'the POS has stopped asking for orders'
          : `the POS does not fetch its orders; ${n === 1 ? '1 waits' : `${upTo(n)} wait`}`,
      closed: () => 'solved, the POS fetches its orders again',
      help: 'See whether the POS is on and has a network; the set-up says when it last asked. Do not enter the orders by hand: they are fetched when it is back.',
    },
    'pt-BR': {
      title: (n) =>
        n === 0
          ? 'o PDV parou de buscar pedidos'
          : `o PDV não busca os pedidos; ${n === 1 ? '1 espera' : `${upTo(n)} esperam`}`,
      closed: () => 'resolvido, o PDV voltou a buscar os pedidos',
      help: 'Veja se o PDV está ligado e com rede; os ajustes dizem quando ele buscou por último. Não lance os pedidos à mão: ele os busca quando voltar.',
    },
  }),
});
