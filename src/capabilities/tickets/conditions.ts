import { addConditions } from '../../platform/conditions/condition.js';

addConditions({
  kind: 'PRINTER_AWAY',
  meaning: 'a printer has stopped asking for tickets',
  select: `SELECT place.id, NULL, 1, NULL::timestamptz, printer_id::text, jsonb_build_object('name', printers_away.name)
    FROM printers_away JOIN place ON place.id = printers_away.restaurant_id`,
  words: () => ({
    en: {
      title: (_, name) => `the printer ${name} does not answer`,
      closed: (name) => `over, the printer ${name} answers again, or was removed`,
      help: 'Check power, paper and network of the printer.',
    },
    'pt-BR': {
      title: (_, name) => `a impressora ${name} não responde`,
      closed: (name) => `encerrado, a impressora ${name} voltou a responder, ou foi removida`,
      help: 'Verifique energia, papel e rede da impressora.',
    },
  }),
});
