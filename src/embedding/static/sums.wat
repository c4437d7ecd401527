(; Adds vectors of int8, each times its scale, to sums of float64, 16 numbers at a time. All addresses are in bytes.
   A piece is the int32 address of its vector and, 8 bytes on, its float64 scale; pieces lie from $pieces to $piecesEnd.
   There are a multiple of 16 sums, from $sums to $sumsEnd. Each sum is added to in the order of the pieces, so that it has
   the same last digit as without SIMD. ;)
(module
  (import "js" "memory" (memory 1))
  (func (export "run")
    (param $pieces i32) (param $piecesEnd i32) (param $sums i32) (param $sumsEnd i32)
    (local $piece i32) (local $offset i32)
    (local $vector v128) (local $half v128) (local $quarter v128) (local $scale v128)
    ;; Sixteen sums, two in each.
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (loop $eachSixteen
      (local.set $a (v128.load (local.get $sums)))
      (local.set $b (v128.load offset=16 (local.get $sums)))
      (local.set $c (v128.load offset=32 (local.get $sums)))
      (local.set $d (v128.load offset=48 (local.get $sums)))
      (local.set $e (v128.load offset=64 (local.get $sums)))
      (local.set $f (v128.load offset=80 (local.get $sums)))
      (local.set $g (v128.load offset=96 (local.get $sums)))
      (local.set $h (v128.load offset=112 (local.get $sums)))
      (local.set $piece (local.get $pieces))
      (loop $eachPiece
        (local.set $vector (v128.load (i32.add (i32.load (local.get $piece)) (local.get $offset))))
        (local.set $scale (f64x2.splat (f64.load offset=8 (local.get $piece))))
        (local.set $half (i16x8.extend_low_i8x16_s (local.get $vector)))
        (local.set $quarter (i32x4.extend_low_i16x8_s (local.get $half)))
        (local.set $a
          (f64x2.add
            (local.get $a)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (local.get $quarter))
              (local.get $scale))))
        (local.set $b
          (f64x2.add
            (local.get $b)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $quarter) (local.get $quarter)))
              (local.get $scale))))
        (local.set $quarter (i32x4.extend_high_i16x8_s (local.get $half)))
        (local.set $c
          (f64x2.add
            (local.get $c)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (local.get $quarter))
              (local.get $scale))))
        (local.set $d
          (f64x2.add
            (local.get $d)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $quarter) (local.get $quarter)))
              (local.get $scale))))
        (local.set $half (i16x8.extend_high_i8x16_s (local.get $vector)))
        (local.set $quarter (i32x4.extend_low_i16x8_s (local.get $half)))
        (local.set $e
          (f64x2.add
            (local.get $e)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (local.get $quarter))
              (local.get $scale))))
        (local.set $f
          (f64x2.add
            (local.get $f)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $quarter) (local.get $quarter)))
              (local.get $scale))))
        (local.set $quarter (i32x4.extend_high_i16x8_s (local.get $half)))
        (local.set $g
          (f64x2.add
            (local.get $g)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (local.get $quarter))
              (local.get $scale))))
        (local.set $h
          (f64x2.add
            (local.get $h)
            (f64x2.mul
              (f64x2.convert_low_i32x4_s (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $quarter) (local.get $quarter)))
              (local.get $scale))))
        (local.set $piece (i32.add (local.get $piece) (i32.const 16)))
        (br_if $eachPiece (i32.lt_u (local.get $piece) (local.get $piecesEnd))))
      (v128.store (local.get $sums) (local.get $a))
      (v128.store offset=16 (local.get $sums) (local.get $b))
      (v128.store offset=32 (local.get $sums) (local.get $c))
      (v128.store offset=48 (local.get $sums) (local.get $d))
      (v128.store offset=64 (local.get $sums) (local.get $e))
      (v128.store offset=80 (local.get $sums) (local.get $f))
      (v128.store offset=96 (local.get $sums) (local.get $g))
      (v128.store offset=112 (local.get $sums) (local.get $h))
      (local.set $offset (i32.add (local.get $offset) (i32.const 16)))
      (local.set $sums (i32.add (local.get $sums) (i32.const 128)))
      (br_if $eachSixteen (i32.lt_u (local.get $sums) (local.get $sumsEnd))))))
