(; Adds rows of float32, 16 numbers at a time. All addresses are in bytes. The addresses of the rows, int32, lie from $rows
   to $rowsEnd; there is at least one. There are a multiple of 16 sums, from $sums to $sumsEnd. Each sum is added to in the
   order of the rows, so that it has the same last digit as without SIMD. ;)
(module
  (import "js" "memory" (memory 1))
  (func (export "run")
    (param $rows i32) (param $rowsEnd i32) (param $sums i32) (param $sumsEnd i32)
    (local $row i32) (local $from i32) (local $offset i32)
    ;; Sixteen sums, four in each.
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $eachSixteen
      (local.set $a (v128.const i32x4 0 0 0 0))
      (local.set $b (v128.const i32x4 0 0 0 0))
      (local.set $c (v128.const i32x4 0 0 0 0))
      (local.set $d (v128.const i32x4 0 0 0 0))
      (local.set $row (local.get $rows))
      (loop $eachRow
        (local.set $from (i32.add (i32.load (local.get $row)) (local.get $offset)))
        (local.set $a (f32x4.add (local.get $a) (v128.load (local.get $from))))
        (local.set $b (f32x4.add (local.get $b) (v128.load offset=16 (local.get $from))))
        (local.set $c (f32x4.add (local.get $c) (v128.load offset=32 (local.get $from))))
        (local.set $d (f32x4.add (local.get $d) (v128.load offset=48 (local.get $from))))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (br_if $eachRow (i32.lt_u (local.get $row) (local.get $rowsEnd))))
      (v128.store (local.get $sums) (local.get $a))
      (v128.store offset=16 (local.get $sums) (local.get $b))
      (v128.store offset=32 (local.get $sums) (local.get $c))
      (v128.store offset=48 (local.get $sums) (local.get $d))
      (local.set $offset (i32.add (local.get $offset) (i32.const 64)))
      (local.set $sums (i32.add (local.get $sums) (i32.const 64)))
      (br_if $eachSixteen (i32.lt_u (local.get $sums) (local.get $sumsEnd))))))
