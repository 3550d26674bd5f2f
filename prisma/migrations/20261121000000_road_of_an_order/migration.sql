-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "platform_role" AS ENUM ('USER', 'ADMIN');

-- CreateEnum
CREATE TYPE "restaurant_role" AS ENUM ('OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER');

-- CreateEnum
CREATE TYPE "job_action" AS ENUM ('CREATE', 'CANCEL');

-- CreateEnum
CREATE TYPE "job_status" AS ENUM ('PENDING', 'PROCESSING', 'SENT', 'FAILED', 'DLQ');

-- CreateEnum
CREATE TYPE "attempt_outcome" AS ENUM ('SENT', 'FAILED', 'DLQ', 'LOST');

-- CreateEnum
CREATE TYPE "attempt_reach" AS ENUM ('NOT_SENT', 'UNKNOWN', 'ANSWERED');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "password_hash" TEXT NOT NULL,
    "role" "platform_role" NOT NULL DEFAULT 'USER',
    "token_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "restaurants" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "address" TEXT,
    "code_store_terminal" TEXT,
    "code_store_pos" TEXT,
    "pos_id_partner" TEXT,
    "pos_secret" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(6),

    CONSTRAINT "restaurants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_restaurants" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "restaurant_id" UUID NOT NULL,
    "role" "restaurant_role" NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_restaurants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "terminal_events" (
    "transaction_key" TEXT NOT NULL,
    "source_key" TEXT NOT NULL,
    "test_mode" BOOLEAN NOT NULL,
    "restaurant_id" UUID NOT NULL,
    "store_code" TEXT,
    "transaction_number" TEXT,
    "transaction_date" TIMESTAMPTZ(6),
    "amount_mismatch_cents" BIGINT,
    "payload" JSONB NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "terminal_events_pkey" PRIMARY KEY ("transaction_key")
);

-- CreateTable
CREATE TABLE "outbox_jobs" (
    "id" UUID NOT NULL,
    "event_key" TEXT NOT NULL,
    "restaurant_id" UUID NOT NULL,
    "action" "job_action" NOT NULL DEFAULT 'CREATE',
    "status" "job_status" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_run_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
    "processing_at" TIMESTAMPTZ(6),
    "locked_by" TEXT,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "http_status" INTEGER,
    "error_code" TEXT,
    "outcome" "attempt_outcome" NOT NULL,
    "reach" "attempt_reach" NOT NULL,
    "error" TEXT,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pos_tokens" (
    "id" TEXT NOT NULL,
    "token" TEXT,
    "expires_at" TIMESTAMPTZ(6),
    "generation" INTEGER NOT NULL DEFAULT 0,
    "failure" JSONB,
    "renewing_by" TEXT,
    "renewing_until" TIMESTAMPTZ(6),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pos_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "restaurants_slug_key" ON "restaurants"("slug") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "restaurants_code_store_terminal_key" ON "restaurants"("code_store_terminal") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "user_restaurants_restaurant_id_idx" ON "user_restaurants"("restaurant_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_restaurants_user_id_restaurant_id_key" ON "user_restaurants"("user_id", "restaurant_id");

-- CreateIndex
CREATE UNIQUE INDEX "terminal_events_test_source_key" ON "terminal_events"("restaurant_id", "source_key") WHERE (test_mode);

-- CreateIndex
CREATE INDEX "outbox_jobs_due_idx" ON "outbox_jobs"("next_run_at") WHERE (status IN ('PENDING', 'FAILED'));

-- CreateIndex
CREATE INDEX "outbox_jobs_locked_idx" ON "outbox_jobs"("processing_at") WHERE (status = 'PROCESSING');

-- CreateIndex
CREATE INDEX "outbox_jobs_parked_idx" ON "outbox_jobs"("restaurant_id", "updated_at") WHERE (status = 'DLQ');

-- CreateIndex
CREATE UNIQUE INDEX "outbox_jobs_event_key_action_key" ON "outbox_jobs"("event_key", "action");

-- CreateIndex
CREATE INDEX "delivery_attempts_job_id_started_at_idx" ON "delivery_attempts"("job_id", "started_at");

-- AddForeignKey
ALTER TABLE "user_restaurants" ADD CONSTRAINT "user_restaurants_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_restaurants" ADD CONSTRAINT "user_restaurants_restaurant_id_fkey" FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "terminal_events" ADD CONSTRAINT "terminal_events_restaurant_id_fkey" FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox_jobs" ADD CONSTRAINT "outbox_jobs_event_key_fkey" FOREIGN KEY ("event_key") REFERENCES "terminal_events"("transaction_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox_jobs" ADD CONSTRAINT "outbox_jobs_restaurant_id_fkey" FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "outbox_jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;



-- What Prisma's schema cannot say: the database itself refuses a row that breaks an invariant.

ALTER TABLE users
    ADD CONSTRAINT users_email_lower_case CHECK (email = lower(email));

ALTER TABLE outbox_jobs
    ADD CONSTRAINT outbox_jobs_attempts_not_negative CHECK (attempts >= 0),
    -- the lock columns are set exactly while a job is PROCESSING
    ADD CONSTRAINT outbox_jobs_processing_at_while_processing CHECK ((status = 'PROCESSING') = (processing_at IS NOT NULL)),
    ADD CONSTRAINT outbox_jobs_locked_by_while_processing CHECK ((status = 'PROCESSING') = (locked_by IS NOT NULL)),
    -- a waiting job without a due time would wait for ever
    ADD CONSTRAINT outbox_jobs_waiting_has_due_time CHECK (status NOT IN ('PENDING', 'FAILED') OR next_run_at IS NOT NULL);

ALTER TABLE delivery_attempts
    ADD CONSTRAINT delivery_attempts_number_positive CHECK (number >= 1),
    ADD CONSTRAINT delivery_attempts_duration_not_negative CHECK (duration_ms >= 0);

-- Two moves that would cook an order twice, whoever writes them. The conditions stand in WHEN, so an ordinary update
-- never calls the function. (The reaper keeps the attempts; a released job keeps its due time; only a reset changes both.)
CREATE FUNCTION outbox_jobs_refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'outbox job % is %: it cannot be moved to %', OLD.id, OLD.status, NEW.status
        USING ERRCODE = 'check_violation',
              HINT = CASE OLD.status
                  WHEN 'SENT' THEN 'The POS has this order; sending it again would double it.'
                  ELSE 'A worker is sending this order now; wait until it has settled, or until the reaper returns it.'
              END;
END $$;

CREATE TRIGGER outbox_jobs_sent_is_final BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (OLD.status = 'SENT' AND NEW.status <> 'SENT')
    EXECUTE FUNCTION outbox_jobs_refuse_move();

CREATE TRIGGER outbox_jobs_no_reset_while_processing BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (OLD.status = 'PROCESSING' AND NEW.status = 'PENDING'
          AND NEW.attempts < OLD.attempts AND NEW.next_run_at IS DISTINCT FROM OLD.next_run_at)
    EXECUTE FUNCTION outbox_jobs_refuse_move();
