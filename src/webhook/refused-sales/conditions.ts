import { addConditions, COUNTED, upTo } from '../../platform/conditions/condition.js';

addConditions({
  kind: 'KEY_REUSED',
  meaning: 'sales came under the key of another one, the last within 24 h: no order was made of them',
  select: `SELECT place.id, NULL, refused.count, refused.newest_at, place.id::text, refused.newest
    FROM (
      SELECT restaurant_id, least(count(*), ${COUNTED})::int AS count,
             max(received_at) FILTER (WHERE received_at <= now()) AS newest_at,
             (array_agg(jsonb_build_object('transactionKey', transaction_key, 'transactionNumber', left(transaction_number, 255),
                'paidCents', net_cents, 'receivedAt', received_at) ORDER BY received_at DESC, id DESC))[1] AS newest
      FROM refused_sales WHERE received_at > now() - interval '24 hours' AND (SELECT mine FROM turn) GROUP BY restaurant_id
    ) AS refused JOIN place ON place.id = refused.restaurant_id`,
  // it closes by its age: nothing says whether somebody has entered them
  solved: 'false',
  isUrgent: true,
  words: () => ({
    en: {
      title: (n) =>
        `${n === 1 ? '1 sale' : `${upTo(n)} sales`} came under the number of another sale, and ${n === 1 ? 'is' : 'are'} not in the POS`,
      closed: () => `no sale came under the number of another one for a day`,
      ended:
        'no sale came under the number of another one for a day; those of before are in the POS only if somebody entered them',
      help: 'Enter them in the POS by hand. Then call the vendor of the terminal: it sends two sales with one transactionKey.',
    },
    'pt-BR': {
      title: (n) =>
        `${n === 1 ? '1 venda veio' : `${upTo(n)} vendas vieram`} com a chave de outra venda, e não ${n === 1 ? 'está' : 'estão'} no PDV`,
      closed: () => `nenhuma venda veio com a chave de outra há um dia`,
      ended: 'nenhuma venda veio com a chave de outra há um dia; as de antes só estão no PDV se alguém as lançou',
      help: 'Lance as vendas no PDV à mão. Depois chame o fornecedor do terminal: ele envia duas vendas com a mesma transactionKey.',
    },
  }),
});
