import { IS_SILENT } from '../../outbox/conditions.sql.js';
import { addConditions } from '../../platform/conditions/condition.js';
import { SENDER } from '../../platform/conditions/sender.js';

addConditions({
  kind: 'SENDER_SILENT',
  meaning: 'no sale has come for 60 min, in an hour of the week in which there usually are some',
  select: `SELECT place.id, NULL, 0, NULL::timestamptz, place.id::text, jsonb_build_object('since', rhythm.silent_since)
    FROM sale_rhythms rhythm JOIN place ON place.id = rhythm.restaurant_id WHERE ${IS_SILENT}`,
  words: () => ({
    en: {
      title: (_count, _name, since) => `no sale has come since ${since}, although there usually are some`,
      closed: () => 'over, a sale has come, or none is usual any more',
      help: SENDER.en.silent,
    },
    'pt-BR': {
      title: (_count, _name, since) => `nenhuma venda chegou desde ${since}, embora costume haver vendas`,
      closed: () => 'encerrado, chegou uma venda, ou já não se esperam vendas',
      help: SENDER['pt-BR'].silent,
    },
  }),
});
