// Loaded before a program, in each of its threads: appends every name that it asks for and every address that it sends
// to, but for those of this machine, to the file NETWORK_RECORD. Sees JavaScript alone, not what native code does.
const { appendFileSync } = require('node:fs');
const dgram = require('node:dgram');
const dns = require('node:dns');
const module_ = require('node:module');
const net = require('node:net');

const isOwn = (host) => /^(localhost|127\.[\d.]+|::1|::ffff:127\.[\d.]+)$/.test(host);

function record(how, host) {
  if (!isOwn(String(host))) appendFileSync(process.env.NETWORK_RECORD, `${how} ${host}\n`);
}

function watch(object, name, hostOf) {
  const original = object[name];
  object[name] = function (...given) {
    const host = hostOf(given);
    if (host !== undefined) record(name, host);
    return original.apply(this, given);
  };
}

for (const object of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const name of ['lookup', ...Object.keys(dns).filter((key) => /^(resolve|reverse)/.test(key))])
    if (typeof object[name] === 'function') watch(object, name, ([host]) => host);

// Options or a port and a host, both perhaps in a list that Node has made of them; a path is of this machine.
watch(net.Socket.prototype, 'connect', (given) => {
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  if (typeof first === 'object' && first !== null)
    return first.path ? undefined : (first.host ?? 'localhost');
  return typeof second === 'string' ? second : undefined;
});
watch(dgram.Socket.prototype, 'connect', ([, host]) => (typeof host === 'string' ? host : undefined));
watch(dgram.Socket.prototype, 'send', (given) =>
  given.find((value, at) => at > 1 && typeof value === 'string'),
);
module_.syncBuiltinESMExports();
