/**
 * Address ranges outside the public Internet, with descriptions: the special-purpose registries of IANA (RFC 6890 and
 * updates), and the credential endpoints of clouds. No setting of an operator opens a range marked `always`: it
 * contains no host of their network, or none that a customer may reach.
 */
export type SpecialRange = { readonly range: string; readonly what: string; readonly always?: true }

const metadata = (range: string): SpecialRange => ({ range, what: 'an address of cloud metadata', always: true })

// Listed first, because some lie inside a range that an operator may allow (fc00::/7), and one inside public space.
export const metadataAddresses: readonly SpecialRange[] = [
  metadata('169.254.169.254/32'), // AWS, Google, Azure, and most others
  metadata('169.254.170.2/32'), // AWS: credentials of a container
  metadata('169.254.170.23/32'), // AWS: credentials of a pod
  metadata('169.254.0.23/32'), // Tencent
  metadata('100.100.100.200/32'), // Alibaba
  metadata('168.63.129.16/32'), // Azure: the virtual host behind every machine
  metadata('192.0.0.192/32'), // Oracle
  metadata('fd00:ec2::254/128'), // AWS
  metadata('fd00:ec2::23/128'), // AWS: credentials of a pod
  metadata('fd20:ce::254/128'), // Google
]

export const specialRanges: readonly SpecialRange[] = [
  { range: '0.0.0.0/8', what: 'an unspecified address', always: true },
  { range: '255.255.255.255/32', what: 'a broadcast address', always: true },
  { range: '224.0.0.0/4', what: 'a multicast address', always: true },
  { range: '127.0.0.0/8', what: 'a loopback address' },
  { range: '10.0.0.0/8', what: 'a private address' },
  { range: '172.16.0.0/12', what: 'a private address' },
  { range: '192.168.0.0/16', what: 'a private address' },
  { range: '169.254.0.0/16', what: 'a link-local address' },
  { range: '100.64.0.0/10', what: 'an address shared behind a carrier' },
  { range: '192.0.0.0/24', what: 'an address kept for protocols' },
  { range: '192.0.2.0/24', what: 'an address kept for documentation' },
  { range: '198.51.100.0/24', what: 'an address kept for documentation' },
  { range: '203.0.113.0/24', what: 'an address kept for documentation' },
  { range: '198.18.0.0/15', what: 'an address kept for benchmarks' },
  { range: '192.31.196.0/24', what: 'an address kept for protocols' },
  { range: '192.52.193.0/24', what: 'an address kept for protocols' },
  { range: '192.175.48.0/24', what: 'an address kept for protocols' },
  { range: '192.88.99.0/24', what: 'an address of a 6to4 relay' },
  { range: '240.0.0.0/4', what: 'a reserved address' },

  { range: '::/128', what: 'an unspecified address', always: true },
  { range: 'ff00::/8', what: 'a multicast address', always: true },
  { range: '::1/128', what: 'a loopback address' },
  { range: '::/96', what: 'an IPv4 address in an obsolete form' },
  { range: '::ffff:0:0:0/96', what: 'a translated IPv4 address' },
  { range: '64:ff9b:1::/48', what: 'an address of a private translator' },
  { range: '100::/64', what: 'an address that discards' },
  { range: '100:0:0:1::/64', what: 'a dummy address' },
  { range: '2001::/32', what: 'an address of a Teredo tunnel' },
  { range: '2001::/23', what: 'an address kept for protocols' },
  { range: '2001:db8::/32', what: 'an address kept for documentation' },
  { range: '2002::/16', what: 'an address of a 6to4 tunnel' },
  { range: '2620:4f:8000::/48', what: 'an address kept for protocols' },
  { range: '3fff::/20', what: 'an address kept for documentation' },
  { range: '5f00::/16', what: 'an address kept for segment routing' },
  { range: 'fc00::/7', what: 'a private address' },
  { range: 'fe80::/10', what: 'a link-local address' },
  { range: 'fec0::/10', what: 'a private address' },
]

/** The only IPv6 ranges of public hosts: global unicast, and the NAT64 prefix for IPv4 hosts. */
export const publicRangesOfIpv6: readonly string[] = ['2000::/3', '64:ff9b::/96']
