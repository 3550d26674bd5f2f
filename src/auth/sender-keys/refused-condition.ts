import type { RefusalReason } from '../../domain/refusal-reason.js';
import { REFUSED_AGAIN } from '../../outbox/conditions.sql.js';
import { addConditions, upTo, type WordsByLanguage } from '../../platform/conditions/condition.js';
import { operatorsPage } from '../../platform/http/console-paths.js';
import type { Language } from '../../platform/http/fields/languages.js';

const WHY: Readonly<Record<Language, Readonly<Record<RefusalReason, string>>>> = {
  en: {
    revoked: 'it was revoked',
    expired: 'it has expired',
    deleted: 'its restaurant is deleted',
    wrong_token: 'the rest of its token is wrong',
    wrong_signature: 'its signature is wrong',
    wrong_clock: 'the clock of the sender is wrong',
  },
  'pt-BR': {
    revoked: 'foi revogada',
    expired: 'expirou',
    deleted: 'o restaurante dela foi removido',
    wrong_token: 'o resto do token está errado',
    wrong_signature: 'a assinatura está errada',
    wrong_clock: 'o relógio do remetente está errado',
  },
};

function wordsOf(reason: RefusalReason): WordsByLanguage {
  return {
    en: {
      title: (n, name, when) =>
        `the key ${name} was refused ${n === 1 ? 'once' : `${upTo(n)} times`} since ${when}: ${WHY.en[reason]}`,
      closed: (name) => `nobody sends with the refused key ${name} any more`,
      help: 'A terminal may still send with it, and its sales are not stored. Find this terminal, enter a key that works, and let it send again.',
    },
    'pt-BR': {
      title: (n, name, when) =>
        `a chave ${name} foi recusada ${n === 1 ? '1 vez' : `${upTo(n)} vezes`} desde ${when}: ${WHY['pt-BR'][reason]}`,
      closed: (name) => `ninguém mais envia com a chave recusada ${name}`,
      help: 'Um terminal talvez ainda envie com ela, e as vendas dele não são guardadas. Encontre esse terminal, informe uma chave que funcione, e faça-o enviar de novo.',
    },
  };
}

addConditions({
  kind: 'SENDER_REFUSED',
  meaning: 'requests with a known sender key are refused again and again',
  // one of the platform, and one of the restaurant of the key
  select: `SELECT told.restaurant_id, NULL, refused_count, NULL::timestamptz, told.object,
      jsonb_build_object('name', key.name, 'keyId', key_id, 'restaurant', restaurants.name, 'reason', refused_reason, 'since', refused_since)
    FROM sender_keys key LEFT JOIN restaurants ON restaurants.id = key.restaurant_id
    CROSS JOIN LATERAL (VALUES (NULL::uuid, 'platform:' || key.id), (key.restaurant_id, key.id::text)) AS told (restaurant_id, object)
    WHERE ${REFUSED_AGAIN} AND (SELECT mine FROM turn)
      AND (told.object LIKE 'platform:%' OR told.restaurant_id IN (SELECT id FROM place))`,
  platformPage: operatorsPage(),
  words: ({ reason = 'revoked' }) => wordsOf(reason as RefusalReason),
});
