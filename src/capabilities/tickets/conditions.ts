import { addConditions } from '../../platform/conditions/condition.js';

addConditions({
  kind: 'PRINTER_AWAY',
  meaning: 'a printer has stopped asking for tickets',
  select: `SELECT place.id, NULL, 1, NULL::timestamptz, printer_id::text, jsonb_build_object('name', printers_away.name)
    FROM printers_away JOIN place ON place.id = printers_away.restaurant_id`,
  words: () => ({
    en: {
      title: (_, place, name) => `${place}: the printer ${name} does not answer`,
      closed: (place, name) => `${place}: solved, the printer ${name} answers again`,
      help: 'Check power, paper and network of the printer.',
    },
    'pt-BR': {
      title: (_, place, name) => `${place}: a impressora ${name} não responde`,
      closed: (place, name) => `${place}: resolvido, a impressora ${name} responde`,
      help: 'Verifique energia, papel e rede da impressora.',
    },
  }),
});
