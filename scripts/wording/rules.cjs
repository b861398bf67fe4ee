// The words that comments, descriptions, messages, documents and names avoid, each with its replacement.

/** Paths of the router, where "way", "stretch" and "scale" were names of its own making. */
const ROUTER = /\/(afluente|pools|uniswap-v2|uniswap-v3)\/|scripts\/bench-router\//;

/** Paths that follow actions and deliveries, where "memory" stood for the checkpoint of a poller. */
const DELIVERY = /^src\/(actions|quotes|venues|ramps|persistence)\/|^prisma\/schema\.prisma$/;

const PAYMENT_VERBS =
  'paid|sold|bought|sent|quoted|promised|owed|received|deposited|refunded|burned|due|kept|known|said|asked|told|answered|left';

/** Words of prose. `flags` are case-insensitive unless a rule says otherwise; `where` limits a rule to paths. */
const PROSE_RULES = [
  {
    pattern: /\b(nobody|somebody|everybody|anybody)(?:'s)?\b/gi,
    say: 'the party: no caller, the customer, each provider, a worker',
  },
  { pattern: /\b(someone|anyone|everyone|no one)\b/gi, say: 'the party: a caller, any customer, no provider' },
  { pattern: /\b(whoever|whom|whomever|who may)\b/gi, say: 'the party: the caller that …, the payee' },
  {
    pattern: /\b(tell|tells|told|telling)\b(?!(?: \S+){0,5} apart\b)/gi,
    say: 'returns, reports, shows, distinguishes',
  },
  { pattern: /\b(ask|asks|asked|asking)\b/gi, say: 'request, query, call, poll, read' },
  { pattern: /\b(answer|answers|answered|answering)\b/gi, say: 'response, result; responds, returns' },
  { pattern: /\b(hear|hears|heard|hearing)\b/gi, say: 'receives, learns, response' },
  { pattern: /\b(wish|wishes|wished)\b/gi, say: 'offer criteria, wants, requires' },
  {
    pattern:
      /\b(?:own|its|their|his|her|our|\w's) word\b(?! of)|\bword of (?:who|the (?:ramp|provider|caller|venue))\b/gi,
    say: 'statement, status, report',
  },
  {
    pattern:
      /\b(?:is|are|was|were|be|been|being|become|becomes|it|not) (?:(?:not|already|yet|also|then|only|never) )?known\b/gi,
    say: 'is stored, is registered, was read, is unknown',
  },
  { pattern: /\bknown (?:to|of|by|about|beforehand)\b/gi, say: 'registered with, stored for, identified by' },
  { pattern: /\b(knows|knew)\b/gi, say: 'stores, recognizes, identifies, supports' },
  {
    pattern: /\b(look|looks|looked|looking)\b(?![- ](?:ups?|like)\b)(?!(?: \S+){1,4} up\b)/gi,
    say: 'poll, read, check, search, inspect',
  },
  { pattern: /\b(verdict|verdicts|judge|judges|judged|judging)\b/gi, say: 'outcome, result; decides, evaluates' },
  { pattern: /\b(came|come|comes|coming) back\b/gi, say: 'is refunded, is returned, recovers' },
  { pattern: /\b(shipment|shipments)\b/gi, say: 'bridge transfer' },
  { pattern: /\bpatience\b/gi, say: 'timeout' },
  { pattern: /\bimpatient\b/gi, say: 'with a short timeout' },
  {
    pattern: /\b(?:rests|rested|resting)\b(?! on\b)|\brest (?:for|until|before|after|between) \b/g,
    say: 'cooldown, cools down',
  },
  { pattern: /\b(vague|vaguely)\b/gi, say: 'unresolved' },
  { pattern: /\boutdated\b/gi, say: 'stale, expired' },
  { pattern: /\b(?:under way|on (?:its|their|the) way)\b/gi, say: 'in progress, pending, in transit' },
  { pattern: /\b(stretch|stretches)\b/gi, say: 'segment' },
  {
    pattern: /\b(?:a|the|each|every|one|two|several|all|of) ways?\b(?! (?:out|round|in which|to))/gi,
    say: 'split',
    where: ROUTER,
  },
  { pattern: /\blest\b/gi, say: 'so that … not' },
  {
    pattern: /(?<!\b(?:one|two|some|all|most|each|both|half|many|either) )\b(?:of|by|to) which\b/gi,
    say: 'a second sentence, or a noun',
  },
  {
    pattern: new RegExp(`\\bwhat (?:is|was|are|were|has been|have been) (?:${PAYMENT_VERBS})\\b`, 'gi'),
    say: 'the noun: payout, deposit, settlement, response',
  },
  { pattern: /\bwhat (?:came|comes|arrived|arrives)\b/gi, say: 'the noun: deposit, output, refund' },
  { pattern: /\b(?:the|its|their|this|that|a) memory of\b/gi, say: 'checkpoint, stored state' },
];

/** Openings of a sentence. Each is matched at the start of a text, and after a full stop. */
const OPENING_RULES = [
  {
    pattern: /^Of (?:an?|the|those|these|that|this|what|each|all|two|both|several|every|any|its|one)\b/,
    say: 'the subject first',
  },
  {
    pattern:
      /^(?:To|By|On|In|Under|From|For|With|At|Until|Upon|Within|After|Before|Through|Against|Into|Out of) (?:which|whom|whose)\b/,
    say: 'the subject first',
  },
  {
    pattern: /^(?:By|To) (?:an?|the) (?:caller|customer|provider|ramp|wallet|worker|venue|chain)\b/,
    say: 'the subject first',
  },
  { pattern: /^None of\b/, say: 'the subject first: "No …"' },
  { pattern: /^True of\b/, say: '"True when …" or "True for …"' },
];

/** How a docstring may not begin, in addition to the openings. */
const DOCSTRING_RULES = [
  { pattern: /^What (?:is|was|are|were|has|have|came|comes|becomes|became)\b/, say: 'the noun that it is' },
];

/** Parts of names. Each is matched against the name as written. */
const NAME_RULES = [
  { pattern: /^(?:MOST|LONGEST)(?:_|$)|_(?:MOST|LONGEST)_/, say: 'MAX_…' },
  { pattern: /^(?:LEAST|SHORTEST)(?:_|$)|_(?:LEAST|SHORTEST)_/, say: 'MIN_…' },
  { pattern: /^(?:most|longest)(?:[A-Z]|$)/, say: 'max…' },
  { pattern: /^(?:least|shortest)(?:[A-Z]|$)/, say: 'min…' },
  { pattern: /^(?:less|plus)(?:Share|[A-Z]\w*)$/, say: 'subtract…, add…' },
  { pattern: /shipment/i, say: 'bridgeTransfer' },
  { pattern: /verdict|^judge|Judge/, say: 'outcome' },
  { pattern: /patience/i, say: 'timeout' },
  { pattern: /(?:came|comes?|Came|Comes?)Back/, say: 'refund, refunded' },
  {
    pattern:
      /^(?:look|looks|looked|Looks?|LOOKS?)(?=$|[A-Z_])(?!Up|sLike|Like)|[a-z](?:Look|Looks|Looked)(?=$|[A-Z])(?!Ups?(?:$|[A-Z])|sLike|Like)|_LOOKS?(?:_|$)/,
    say: 'poll, pollCount, nextPollAt',
  },
  {
    pattern:
      /^(?:ask|asks|asked|asking)(?=$|[A-Z])|^Ask(?:s|ed|ing)?(?=$|[A-Z])|[a-z]Ask(?:s|ed|ing)?(?=$|[A-Z])|(?:^|_)ASK(?:ED)?(?:_|$)/,
    say: 'request, poll, query, read',
  },
  { pattern: /(?:^|[a-z])[aA]nswer(?:s|ed)?(?=$|[A-Z])|^Answer|(?:^|_)ANSWERS?(?:_|$)/, say: 'response, result' },
  {
    pattern: /(?:^|[a-z])(?:[tT]old|[tT]ell|[tT]ells|[hH]eard|[hH]ear)(?=$|[A-Z])|(?:^|_)(?:TOLD|TELL|HEARD)(?:_|$)/,
    say: 'report, notify, receive',
  },
  { pattern: /(?:no|some|any|every)body|(?:NO|ANY|EVERY|SOME)BODY|whoever/i, say: 'the party, or unclaimed' },
  { pattern: /^(?:wish|Wish|WISH)(?=$|[A-Z_])/, say: 'offer criteria' },
  { pattern: /[oO]utdate/, say: 'stale, expired, invalidate' },
  { pattern: /^(?:vague|Vague)/, say: 'unresolved' },
  { pattern: /^stretch|^Stretch|[a-z]Stretch/, say: 'segment' },
  { pattern: /^(?:scale|scales|Scale|SCALE)$|^scaleOf$/, say: 'marginal outputs', where: ROUTER },
  { pattern: /^(?:ways?|Ways?)(?=$|[A-Z])|[a-z]Ways?(?=$|[A-Z])/, say: 'split', where: ROUTER },
  { pattern: /^(?:memory|Memory|readMemory|memorySchema)$/, say: 'checkpoint', where: DELIVERY },
  { pattern: /^(?:rests|restsUntil|restMs|restAfter|secondsToRest)$|REST_MS$/, say: 'cooldown' },
  { pattern: /^(?:db|Db|DB)$/, say: 'database' },
  { pattern: /^(?:Carried|Ordered|Trying|Asked|Tried)$/, say: 'a noun' },
];

module.exports = { DOCSTRING_RULES, NAME_RULES, OPENING_RULES, PROSE_RULES };
