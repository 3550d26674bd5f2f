-- The printers that have polled before, and have not for three intervals of 30 s (K9). A poll of the future was written while the clock was
-- ahead: the next poll writes another.
CREATE OR REPLACE VIEW printers_away AS
SELECT restaurant_id, id AS printer_id, name, last_poll_at FROM printers
WHERE last_poll_at NOT BETWEEN now() - interval '90 seconds' AND now() + interval '10 seconds';
