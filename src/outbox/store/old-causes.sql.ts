/**
 * The cause of a job from its error, or null: of a version that wrote no causes (O30). It is the one of the migration that introduced
 * causes; texts of later versions are never read.
 */
export const CAUSE_OF_OLD_ERROR = String.raw`(
    SELECT CASE
        WHEN withdrawn THEN 'withdrawn'
        WHEN text ~ '^restaurant has no codeStorePos$' THEN 'no_code_store_pos'
        WHEN text ~ '^(no POS credentials: |the restaurant''s posSecret cannot be decrypted: )' THEN 'no_credentials'
        WHEN text ~ '^cannot be mapped: totalAmount: is negative, and nothing was paid: ' THEN 'refund'
        WHEN text ~ '^cannot be mapped: ' THEN 'unmappable'
        WHEN text ~ '^(POS authentication failed: |(POS sign-in failed: )?HTTP (401|403|\d+, POS error 90[12])(?!\d))' THEN 'sign_in'
        WHEN text ~ '^(POS sign-in failed: )?HTTP (5|408|425)' OR text ~ '^HTTP .*\(the body broke off\)' THEN 'failing'
        WHEN text ~ '^(POS sign-in failed: )?HTTP 429' THEN 'busy'
        WHEN text ~ '^POS sign-in failed: (HTTP |no answer from the POS: NO_TOKEN: the answer )' THEN 'sign_in'
        WHEN text ~ '^(POS sign-in failed: )?no answer from the POS: ' THEN 'unanswered'
        WHEN text ~ '^lease of .* expired$' OR text IN ('', 'the order may have arrived, and the POS was not asked since') THEN 'lost'
        WHEN text ~ '^(internal error: |the lease was too short )' THEN 'internal'
        WHEN was_asked OR text ~ '^the (order may have arrived, though the POS|POS is still working on the order: )' THEN 'unconfirmed'
        WHEN text ~ '^HTTP ' THEN CASE WHEN status = 'DLQ' AND NOT gave_up THEN 'refused' ELSE 'busy' END
    END
    FROM (SELECT last_error ~ '^gave up after ' AS gave_up, last_error ~ 'may have arrived, and the POS could not be asked: ' AS was_asked,
                 regexp_replace(last_error, '^(gave up after \d+ attempts(: |$))?'
                     '(the order may have arrived, and the POS could not be asked: )?', '') AS text OFFSET 0) AS told)`;
