-- The columns are nullable and have no default: adding them does not rewrite the table.
SET LOCAL lock_timeout = '10s';

ALTER TABLE "Action" ADD COLUMN "strategyId" TEXT, ADD COLUMN "strategySlug" TEXT;

-- The same as before, with the strategy.
CREATE OR REPLACE FUNCTION "actionSnapshot"(action_id UUID) RETURNS JSONB LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(shown) FROM (
    SELECT action.id, action."quoteId", action."strategyId", action."strategySlug", action.type, action.status::text AS status, action.substatus, action.provider,
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
