(; Sums that codes of four bits stand for, of 16 vectors at a time. All addresses are in bytes. A group of 16 vectors is 16 bytes,
   one of each vector, for each place of a byte; groups lie one after the other from $groups to $groupsEnd. For each place there
   are 32 bytes from $tables to $tablesEnd: what the lower four bits stand for by their value, then the higher four.
   Stores a uint16 for each vector, one after the other, from $sums on. ;)
(module
  (import "js" "memory" (memory 1))
  (func (export "run")
    (param $groups i32) (param $groupsEnd i32) (param $tables i32) (param $tablesEnd i32) (param $sums i32)
    (local $at i32) (local $first v128) (local $second v128) (local $bytes v128) (local $low v128) (local $high v128)
    (loop $eachGroup
      (local.set $first (v128.const i32x4 0 0 0 0))
      (local.set $second (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $tables))
      (loop $eachPlace
        (local.set $bytes (v128.load (local.get $groups)))
        (local.set $low
          (i8x16.swizzle
            (v128.load (local.get $at))
            (v128.and (local.get $bytes) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
        (local.set $high
          (i8x16.swizzle
            (v128.load offset=16 (local.get $at))
            (i8x16.shr_u (local.get $bytes) (i32.const 4))))
        (local.set $first
          (i16x8.add
            (local.get $first)
            (i16x8.add
              (i16x8.extend_low_i8x16_u (local.get $low))
              (i16x8.extend_low_i8x16_u (local.get $high)))))
        (local.set $second
          (i16x8.add
            (local.get $second)
            (i16x8.add
              (i16x8.extend_high_i8x16_u (local.get $low))
              (i16x8.extend_high_i8x16_u (local.get $high)))))
        (local.set $groups (i32.add (local.get $groups) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $eachPlace (i32.lt_u (local.get $at) (local.get $tablesEnd))))
      (v128.store (local.get $sums) (local.get $first))
      (v128.store offset=16 (local.get $sums) (local.get $second))
      (local.set $sums (i32.add (local.get $sums) (i32.const 32)))
      (br_if $eachGroup (i32.lt_u (local.get $groups) (local.get $groupsEnd))))))
