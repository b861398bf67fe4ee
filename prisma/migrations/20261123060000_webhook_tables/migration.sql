-- CreateTable
CREATE TABLE "WebhookEndpoint" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'CUSTOMER',
    "url" TEXT NOT NULL,
    "eventTypes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "ordering" TEXT NOT NULL DEFAULT 'action',
    "state" TEXT NOT NULL DEFAULT 'ENABLED',
    "disabledReason" TEXT,
    "openUntil" TIMESTAMPTZ(3),
    "openings" INTEGER NOT NULL DEFAULT 0,
    "failingSince" TIMESTAMPTZ(3),
    "windowStart" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "windowAttempts" INTEGER NOT NULL DEFAULT 0,
    "windowFailures" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WebhookEndpoint_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "WebhookEndpoint_kind_check" CHECK ("kind" IN ('CUSTOMER', 'QUOTE')),
    CONSTRAINT "WebhookEndpoint_ordering_check" CHECK ("ordering" IN ('action', 'none')),
    CONSTRAINT "WebhookEndpoint_state_check" CHECK ("state" IN ('ENABLED', 'DISABLED', 'DELETED')),
    CONSTRAINT "WebhookEndpoint_disabledReason_check" CHECK ("disabledReason" IN ('CUSTOMER', 'GONE', 'FAILING')),
    CONSTRAINT "WebhookEndpoint_disabled_check" CHECK (("state" = 'DISABLED') = ("disabledReason" IS NOT NULL))
);

-- CreateTable
CREATE TABLE "WebhookSecret" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "endpointId" UUID,
    "sealed" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3),

    CONSTRAINT "WebhookSecret_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WebhookEvent" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subjectId" UUID NOT NULL,
    "orderKey" UUID,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "url" TEXT,
    "snapshot" JSONB,
    "body" TEXT,
    "failure" TEXT,
    "occurredAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "dueAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "preparedAt" TIMESTAMPTZ(3),

    CONSTRAINT "WebhookEvent_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "WebhookEvent_type_check" CHECK ("type" IN (
        'quote.created', 'quote.expired',
        'action.created', 'action.pending', 'action.succeeded', 'action.failed', 'action.refunded',
        'kyc.updated', 'ramp.payment_received', 'ramp.payout_sent', 'wallet.linked', 'wallet.unlinked', 'webhook.test'))
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "id" UUID NOT NULL,
    "customerId" UUID NOT NULL,
    "eventId" UUID NOT NULL,
    "endpointId" UUID NOT NULL,
    "orderKey" UUID,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'WAITING',
    "parkedReason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "leasedUntil" TIMESTAMPTZ(3),
    "fencingToken" BIGINT NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finishedAt" TIMESTAMPTZ(3),

    CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "WebhookDelivery_state_check" CHECK ("state" IN ('WAITING', 'DELIVERED', 'PARKED', 'REPLAYED')),
    CONSTRAINT "WebhookDelivery_parkedReason_check" CHECK ("parkedReason" IN ('EXHAUSTED', 'GONE', 'ENDPOINT_DISABLED', 'ORIGIN_LIMIT'))
);

-- CreateTable
CREATE TABLE "WebhookAttempt" (
    "deliveryId" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "customerId" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" INTEGER,
    "failure" TEXT,
    "durationMs" INTEGER NOT NULL,
    "response" TEXT,

    CONSTRAINT "WebhookAttempt_pkey" PRIMARY KEY ("deliveryId","number")
);

-- CreateIndex
CREATE INDEX "WebhookEndpoint_customerId_createdAt_idx" ON "WebhookEndpoint"("customerId", "createdAt");

-- CreateIndex
CREATE INDEX "WebhookEndpoint_updatedAt_idx" ON "WebhookEndpoint"("updatedAt") WHERE ((kind = 'QUOTE'::text) OR (state = 'DELETED'::text));

-- CreateIndex
CREATE UNIQUE INDEX "WebhookEndpoint_customerId_url_key" ON "WebhookEndpoint"("customerId", "url") WHERE (kind = 'QUOTE'::text);

-- CreateIndex
CREATE INDEX "WebhookSecret_customerId_endpointId_idx" ON "WebhookSecret"("customerId", "endpointId");

-- CreateIndex
CREATE INDEX "WebhookSecret_expiresAt_idx" ON "WebhookSecret"("expiresAt") WHERE ("expiresAt" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "WebhookSecret_customerId_key" ON "WebhookSecret"("customerId") WHERE (("endpointId" IS NULL) AND ("expiresAt" IS NULL));

-- CreateIndex
CREATE UNIQUE INDEX "WebhookSecret_endpointId_key" ON "WebhookSecret"("endpointId") WHERE ("expiresAt" IS NULL);

-- CreateIndex
CREATE INDEX "WebhookEvent_dueAt_idx" ON "WebhookEvent"("dueAt") WHERE ("preparedAt" IS NULL);

-- CreateIndex
CREATE INDEX "WebhookEvent_orderKey_seq_idx" ON "WebhookEvent"("orderKey", "seq") WHERE ("preparedAt" IS NULL);

-- CreateIndex
CREATE INDEX "WebhookEvent_subjectId_idx" ON "WebhookEvent"("subjectId");

-- CreateIndex
CREATE INDEX "WebhookEvent_preparedAt_idx" ON "WebhookEvent"("preparedAt");

-- CreateIndex
CREATE INDEX "WebhookEvent_failed_idx" ON "WebhookEvent"("customerId", "id") WHERE (failure IS NOT NULL);

-- CreateIndex
CREATE INDEX "WebhookDelivery_endpointId_nextAt_idx" ON "WebhookDelivery"("endpointId", "nextAt") WHERE (state = 'WAITING'::text);

-- CreateIndex
CREATE INDEX "WebhookDelivery_endpointId_orderKey_seq_idx" ON "WebhookDelivery"("endpointId", "orderKey", "seq") WHERE (state = 'WAITING'::text);

-- CreateIndex
CREATE INDEX "WebhookDelivery_nextAt_idx" ON "WebhookDelivery"("nextAt") WHERE (state = 'WAITING'::text);

-- CreateIndex
CREATE INDEX "WebhookDelivery_leasedUntil_idx" ON "WebhookDelivery"("leasedUntil") WHERE ((state = 'WAITING'::text) AND ("leasedUntil" IS NOT NULL));

-- CreateIndex
CREATE INDEX "WebhookDelivery_parked_idx" ON "WebhookDelivery"("endpointId", "id") WHERE (state = 'PARKED'::text);

-- CreateIndex
CREATE INDEX "WebhookDelivery_customerId_createdAt_id_idx" ON "WebhookDelivery"("customerId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "WebhookDelivery_eventId_idx" ON "WebhookDelivery"("eventId");

-- CreateIndex
CREATE INDEX "WebhookDelivery_endpointId_createdAt_id_idx" ON "WebhookDelivery"("endpointId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "WebhookDelivery_customerId_state_createdAt_id_idx" ON "WebhookDelivery"("customerId", "state", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "WebhookDelivery_customerId_endpointId_idx" ON "WebhookDelivery"("customerId", "endpointId") WHERE (state = 'WAITING'::text);

-- CreateIndex
CREATE INDEX "WebhookAttempt_at_idx" ON "WebhookAttempt"("at");

-- AddForeignKey
ALTER TABLE "WebhookSecret" ADD CONSTRAINT "WebhookSecret_endpointId_fkey" FOREIGN KEY ("endpointId") REFERENCES "WebhookEndpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_eventId_fkey" FOREIGN KEY ("eventId") REFERENCES "WebhookEvent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_endpointId_fkey" FOREIGN KEY ("endpointId") REFERENCES "WebhookEndpoint"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookAttempt" ADD CONSTRAINT "WebhookAttempt_deliveryId_fkey" FOREIGN KEY ("deliveryId") REFERENCES "WebhookDelivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- True when an endpoint of the customer takes events of the type. A disabled one still collects parked deliveries, so that
-- nothing is lost until it is enabled again. Not a function in SQL: those are planned at each call.
CREATE FUNCTION "hasWebhookReceiver"(customer UUID, event_type TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM "WebhookEndpoint" AS endpoint
     WHERE endpoint."customerId" = customer AND endpoint.kind = 'CUSTOMER'
       AND endpoint.state <> 'DELETED'
       AND (cardinality(endpoint."eventTypes") = 0 OR event_type = ANY(endpoint."eventTypes")));
END $$;

-- The state of an action, with the columns that src/actions/action-row.ts reads.
CREATE FUNCTION "actionSnapshot"(action_id UUID) RETURNS JSONB LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(shown) FROM (
    SELECT action.id, action."quoteId", action.type, action.status::text AS status, action.substatus, action.provider,
           action."originAddress", action."receiverAddress", action."chainIdIn", action."chainIdOut",
           action."tokenIn", action."tokenOut", action."amountIn"::text AS "amountIn", action."amountOut"::text AS "amountOut",
           trim_scale(action."amountInUsd")::text AS "amountInUsd", trim_scale(action."amountOutUsd")::text AS "amountOutUsd",
           action.fees, action."failureReason", action."createdAt", action."updatedAt", action."initialDate", action."finishedAt",
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                     'stepIndex', step."stepIndex", 'kind', step.kind, 'operator', step.operator, 'protocol', step.protocol,
                     'chainId', step."chainId"::text, 'status', step.status, 'txHash', step."txHash",
                     'blockNumber', step."blockNumber"::text, 'minedAt', step."minedAt",
                     'userOperationHash', step."userOperationHash",
                     'failureReason', coalesce(step."failureReason", step."deliveryFlaw")
                   ) ORDER BY step."stepIndex"), '[]')
              FROM "ActionStep" AS step WHERE step."actionId" = action.id) AS steps,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                     'stepIndex', call."stepIndex", 'chainId', call."chainId"::text, 'status', call.status,
                     'txHash', call."txHash", 'blockNumber', call."blockNumber"::text, 'minedAt', call."minedAt"
                   ) ORDER BY call.id), '[]')
              FROM "ActionCall" AS call WHERE call."actionId" = action.id AND call.kind = 'APPROVAL') AS approvals,
           (SELECT delivery.completion FROM "Delivery" AS delivery
             WHERE delivery."actionId" = action.id
               AND (action.status = 'PENDING' OR (action.status = 'FAILED' AND action."chainIdOut" = 0))) AS completion,
           (SELECT event.detail FROM "ActionEvent" AS event
             WHERE event."actionId" = action.id AND action.status = 'REFUNDED' AND event."toStatus" = 'REFUNDED'
             ORDER BY event.id LIMIT 1) AS refund
      FROM "Action" AS action WHERE action.id = action_id
  ) AS shown
$$;

-- The state of a profile that src/kyc/kyc-status.ts shows; null for an erased one.
CREATE FUNCTION "profileSnapshot"(profile_id UUID) RETURNS JSONB LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
           'id', profile.id, 'updatedAt', profile."updatedAt",
           'accounts', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                                 'provider', account.provider, 'status', account.status, 'providerStatus', account."providerStatus",
                                 'rejectReason', account."rejectReason", 'verificationLink', account."verificationLink",
                                 'capabilities', account.capabilities, 'verification', account.verification,
                                 'updatedAt', account."updatedAt")), '[]')
                          FROM "RampAccount" AS account WHERE account."profileId" = profile.id),
           'wallets', (SELECT coalesce(jsonb_agg(jsonb_build_object('address', wallet.address) ORDER BY wallet.number), '[]')
                         FROM "KycWallet" AS wallet WHERE wallet."profileId" = profile.id))
    FROM "KycProfile" AS profile WHERE profile.id = profile_id AND profile."erasedAt" IS NULL
$$;

-- Completes an event when its transaction commits: steps and amounts may be written after the change of the status.
CREATE FUNCTION "snapshotWebhookEvent"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  profile JSONB;
BEGIN
  IF NEW.type LIKE 'action.%' OR NEW.type LIKE 'ramp.%' THEN
    UPDATE "WebhookEvent" AS event SET snapshot = "actionSnapshot"(action.id), url = action."webhookUrl"
      FROM "Action" AS action WHERE event.id = NEW.id AND action.id = NEW."subjectId";
  ELSE
    profile := "profileSnapshot"(NEW."subjectId");
    IF profile IS NULL THEN
      DELETE FROM "WebhookEvent" WHERE id = NEW.id;
    ELSE
      UPDATE "WebhookEvent" AS event SET snapshot = coalesce(event.snapshot, '{}') || profile WHERE event.id = NEW.id;
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER "WebhookEvent_snapshot" AFTER INSERT ON "WebhookEvent" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (NEW.type NOT LIKE 'quote.%' AND NEW.type <> 'webhook.test')
  EXECUTE FUNCTION "snapshotWebhookEvent"();

-- The numbers of an action's events: a change takes two, since an action that is no draft any more reports its creation too.
CREATE FUNCTION "numberActionEvents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."eventSeq" := OLD."eventSeq" + 2;
  RETURN NEW;
END $$;

CREATE FUNCTION "publishActionEvents"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed TEXT;
BEGIN
  -- One lookup for customers without endpoints.
  IF NEW."isDraft" OR (NEW."webhookUrl" IS NULL AND NOT EXISTS (
    SELECT 1 FROM "WebhookEndpoint" AS endpoint
     WHERE endpoint."customerId" = NEW."customerId" AND endpoint.kind = 'CUSTOMER')) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' OR OLD."isDraft" THEN
    INSERT INTO "WebhookEvent" (id, "customerId", type, "subjectId", "orderKey", seq)
    SELECT gen_random_uuid(), NEW."customerId", 'action.created', NEW.id, NEW.id, NEW."eventSeq" - 1
     WHERE NEW."webhookUrl" IS NOT NULL OR "hasWebhookReceiver"(NEW."customerId", 'action.created');
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.status IS DISTINCT FROM NEW.status THEN
    changed := CASE NEW.status WHEN 'PENDING' THEN 'action.pending' WHEN 'SUCCESS' THEN 'action.succeeded'
                               WHEN 'FAILED' THEN 'action.failed' WHEN 'REFUNDED' THEN 'action.refunded' END;
    INSERT INTO "WebhookEvent" (id, "customerId", type, "subjectId", "orderKey", seq)
    SELECT gen_random_uuid(), NEW."customerId", changed, NEW.id, NEW.id, NEW."eventSeq"
     WHERE changed IS NOT NULL
       AND (NEW."webhookUrl" IS NOT NULL OR "hasWebhookReceiver"(NEW."customerId", changed));
  END IF;
  RETURN NULL;
END $$;

-- Fiat of an action: a payment that arrived, and a payout that was sent.
CREATE FUNCTION "publishRampEvent"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  reported TEXT := CASE
    WHEN NEW.kind = 'FIAT_IN' AND NEW.status IN ('SUBMITTED', 'CONFIRMED') AND OLD.status NOT IN ('SUBMITTED', 'CONFIRMED')
      THEN 'ramp.payment_received'
    WHEN NEW.kind = 'FIAT_OUT' AND NEW.status = 'CONFIRMED' THEN 'ramp.payout_sent' END;
BEGIN
  IF reported IS NULL THEN
    RETURN NULL;
  END IF;
  WITH numbered AS (
    UPDATE "Action" AS action SET "eventSeq" = action."eventSeq" + 1
     WHERE action.id = NEW."actionId"
       AND (action."webhookUrl" IS NOT NULL OR "hasWebhookReceiver"(action."customerId", reported))
    RETURNING action.id, action."customerId", action."eventSeq"
  )
  INSERT INTO "WebhookEvent" (id, "customerId", type, "subjectId", "orderKey", seq)
  SELECT gen_random_uuid(), numbered."customerId", reported, numbered.id, numbered.id, numbered."eventSeq" FROM numbered;
  RETURN NULL;
END $$;

-- The expiry of a quote is written with it. It is dropped when the quote was executed. An execution that began before the
-- deadline may commit after it: the expiry is due when such a request has ended.
CREATE FUNCTION "publishQuoteEvents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One lookup for customers without endpoints.
  IF NEW."webhookUrl" IS NULL AND NOT EXISTS (
    SELECT 1 FROM "WebhookEndpoint" AS endpoint
     WHERE endpoint."customerId" = NEW."customerId" AND endpoint.kind = 'CUSTOMER') THEN
    RETURN NULL;
  END IF;
  INSERT INTO "WebhookEvent" (id, "customerId", type, "subjectId", "orderKey", seq, "dueAt")
  SELECT gen_random_uuid(), NEW."customerId", event.type, NEW.id, NEW.id, event.seq, event.due
    FROM (VALUES ('quote.created', 1, now()), ('quote.expired', 2, NEW.deadline + interval '15 seconds')) AS event (type, seq, due)
   WHERE NEW."webhookUrl" IS NOT NULL OR "hasWebhookReceiver"(NEW."customerId", event.type);
  RETURN NULL;
END $$;

CREATE FUNCTION "publishKycEvent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "WebhookEvent" (id, "customerId", type, "subjectId")
  SELECT gen_random_uuid(), NEW."customerId", 'kyc.updated', NEW."profileId"
   WHERE "hasWebhookReceiver"(NEW."customerId", 'kyc.updated');
  RETURN NULL;
END $$;

CREATE FUNCTION "publishWalletEvent"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wallet "KycWallet" := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  reported TEXT := CASE TG_OP WHEN 'DELETE' THEN 'wallet.unlinked' ELSE 'wallet.linked' END;
BEGIN
  INSERT INTO "WebhookEvent" (id, "customerId", type, "subjectId", snapshot)
  SELECT gen_random_uuid(), wallet."customerId", reported, wallet."profileId", jsonb_build_object('address', wallet.address)
   WHERE "hasWebhookReceiver"(wallet."customerId", reported);
  RETURN NULL;
END $$;
