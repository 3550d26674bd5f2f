-- From when on the database's clock shows times that it has shown before (V29): the full hour of the lowest of them, when a process began to look at it, and
-- when it was set back. A mark that comes again in its hour is written again: who reads receipts knows by the transaction of the row whether it is new.
CREATE TABLE "clock_marks" (
    "hour" TIMESTAMPTZ(6) NOT NULL,
    CONSTRAINT "clock_marks_pkey" PRIMARY KEY ("hour")
);
