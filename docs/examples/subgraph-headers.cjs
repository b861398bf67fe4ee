// Signs requests of a federation router to the subgraphs. See docs/federation.md.
const { createHash, createHmac } = require('node:crypto');

/**
 * Headers of one request. `secret` is INTERNAL_SECRET as configured, `principal` the authenticated caller or null, and
 * `body` exactly the text that is sent.
 */
function subgraphHeaders(secret, { requestId, principal }, body) {
  const timestamp = String(Date.now());
  const caller = JSON.stringify(principal);
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const signed = JSON.stringify([timestamp, requestId, caller, bodyHash]);
  const encoded = (text) => Buffer.from(text).toString('base64url');
  return {
    'x-afluente-timestamp': timestamp,
    'x-afluente-request-id': encoded(requestId),
    'x-afluente-principal': encoded(caller),
    'x-afluente-signature': createHmac('sha256', secret).update(signed).digest('hex'),
  };
}

module.exports = { subgraphHeaders };
