import type { RefusalReason } from '../../domain/refusal-reason.js';
import { REFUSED_AGAIN } from '../../outbox/conditions.sql.js';
import { addConditions, upTo, type WordsByLanguage } from '../../platform/conditions/condition.js';
import { SENDER } from '../../platform/conditions/sender.js';
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

function wordsOf(reason: RefusalReason, keys: number): WordsByLanguage {
  return {
    en: {
      title: (n, name, when) =>
        keys > 1
          ? `${keys} keys were refused ${upTo(n)} times since ${when}, the newest ${name}: ${WHY.en[reason]}`
          : `the key ${name} was refused ${n === 1 ? 'once' : `${upTo(n)} times`} since ${when}: ${WHY.en[reason]}`,
      closed: (name) => `nobody sends with the refused key ${name} any more`,
      help: SENDER.en.key,
    },
    'pt-BR': {
      title: (n, name, when) =>
        keys > 1
          ? `${keys} chaves foram recusadas ${upTo(n)} vezes desde ${when}, a mais recente ${name}: ${WHY['pt-BR'][reason]}`
          : `a chave ${name} foi recusada ${n === 1 ? '1 vez' : `${upTo(n)} vezes`} desde ${when}: ${WHY['pt-BR'][reason]}`,
      closed: (name) => `ninguém mais envia com a chave recusada ${name}`,
      help: SENDER['pt-BR'].key,
    },
  };
}

addConditions({
  kind: 'SENDER_REFUSED',
  meaning:
    'requests with known sender keys of a restaurant are refused again and again; of the platform: of the restaurants of a founder',
  // one of the platform for each founder, and one for each restaurant: nobody can fill the lists with keys. A further key of a restaurant, or of the
  // platform, makes its alert hold again; many keys of a founder do not call the platform again and again
  select: `SELECT told.restaurant_id, NULL, least(sum(refused_count), 1000000)::int,
      CASE WHEN told.object NOT LIKE 'founder:%' THEN max(greatest(refused_since, refused_again_at)) END, told.object,
      (array_agg(jsonb_build_object('name', key.name, 'keyId', key_id, 'restaurant', restaurants.name, 'reason', refused_reason) ORDER BY refused_at DESC, key.id))[1]
        || jsonb_build_object('keys', count(*), 'since', min(refused_since))
        || CASE WHEN count(DISTINCT restaurants.id) > 1 THEN '{"restaurant": null}'::jsonb ELSE '{}' END
    FROM sender_keys key LEFT JOIN restaurants ON restaurants.id = key.restaurant_id
    CROSS JOIN LATERAL (VALUES (NULL::uuid, coalesce('founder:' || coalesce(founded_by, restaurants.id), 'platform')), (restaurants.id, restaurants.id::text))
      AS told (restaurant_id, object)
    WHERE ${REFUSED_AGAIN} AND (SELECT mine FROM turn) AND told.object IS NOT NULL
      AND (told.restaurant_id IS NULL OR told.restaurant_id IN (SELECT id FROM place))
    GROUP BY told.restaurant_id, told.object`,
  platformPage: operatorsPage(),
  words: ({ reason = 'revoked', keys = 1 }) => wordsOf(reason as RefusalReason, keys),
});
