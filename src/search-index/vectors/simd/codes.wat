(; Codes of vectors of int8, see VectorCodes. All addresses are in bytes. Vectors lie one after the other from $vectors to
   $vectorsEnd, each with 1 / length as a float64 from $perLengths on. The centre, as many float64 from $centre to $centreEnd, a
   multiple of 32, is taken away; from $rest on there is room for as many. Stores, of each vector one after the other, its first
   bits, its second bits, and its factor as a float32. ;)
(module
  (import "js" "memory" (memory 1))
  (func (export "run")
    (param $vectors i32) (param $vectorsEnd i32) (param $perLengths i32) (param $centre i32) (param $centreEnd i32)
    (param $rest i32) (param $first i32) (param $second i32) (param $factors i32)
    (local $at i32) (local $to i32) (local $bit i32) (local $firstWord i32) (local $secondWord i32)
    (local $four v128) (local $pair v128) (local $size v128) (local $perLength v128) (local $mean v128)
    (local $isPositive v128) (local $isLarge v128) (local $sum v128) (local $square v128) (local $product v128)
    (local $all f64)
    (loop $eachVector
      (local.set $perLength (v128.load64_splat (local.get $perLengths)))
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $square (v128.const i32x4 0 0 0 0))
      (local.set $product (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $centre))
      (local.set $to (local.get $rest))
      (loop $eachFour
        (local.set $four
          (i32x4.extend_low_i16x8_s (i16x8.extend_low_i8x16_s (v128.load32_zero (local.get $vectors)))))
        (local.set $pair
          (f64x2.sub
            (f64x2.mul (f64x2.convert_low_i32x4_s (local.get $four)) (local.get $perLength))
            (v128.load (local.get $at))))
        (v128.store (local.get $to) (local.get $pair))
        (local.set $sum (f64x2.add (local.get $sum) (f64x2.abs (local.get $pair))))
        (local.set $square (f64x2.add (local.get $square) (f64x2.mul (local.get $pair) (local.get $pair))))
        (local.set $pair
          (f64x2.sub
            (f64x2.mul
              (f64x2.convert_low_i32x4_s
                (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $four) (local.get $four)))
              (local.get $perLength))
            (v128.load offset=16 (local.get $at))))
        (v128.store offset=16 (local.get $to) (local.get $pair))
        (local.set $sum (f64x2.add (local.get $sum) (f64x2.abs (local.get $pair))))
        (local.set $square (f64x2.add (local.get $square) (f64x2.mul (local.get $pair) (local.get $pair))))
        (local.set $vectors (i32.add (local.get $vectors) (i32.const 4)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (br_if $eachFour (i32.lt_u (local.get $at) (local.get $centreEnd))))
      (local.set $mean
        (f64x2.splat
          (f64.div
            (f64.add (f64x2.extract_lane 0 (local.get $sum)) (f64x2.extract_lane 1 (local.get $sum)))
            (f64.convert_i32_u
              (i32.shr_u (i32.sub (local.get $centreEnd) (local.get $centre)) (i32.const 3))))))
      (local.set $at (local.get $rest))
      (loop $eachWord
        (local.set $firstWord (i32.const 0))
        (local.set $secondWord (i32.const 0))
        (local.set $bit (i32.const 0))
        (loop $eachPair
          (local.set $pair (v128.load (local.get $at)))
          (local.set $size (f64x2.abs (local.get $pair)))
          (local.set $isPositive (f64x2.ge (local.get $pair) (v128.const i32x4 0 0 0 0)))
          (local.set $isLarge (f64x2.gt (local.get $size) (local.get $mean)))
          (local.set $product
            (f64x2.add
              (local.get $product)
              (f64x2.add
                (local.get $size)
                (v128.and (local.get $isLarge) (f64x2.add (local.get $size) (local.get $size))))))
          (local.set $firstWord
            (i32.or
              (local.get $firstWord)
              (i32.shl (i64x2.bitmask (local.get $isPositive)) (local.get $bit))))
          (local.set $secondWord
            (i32.or
              (local.get $secondWord)
              (i32.shl
                (i64x2.bitmask (v128.not (v128.xor (local.get $isPositive) (local.get $isLarge))))
                (local.get $bit))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $bit (i32.add (local.get $bit) (i32.const 2)))
          (br_if $eachPair (i32.lt_u (local.get $bit) (i32.const 32))))
        (i32.store (local.get $first) (local.get $firstWord))
        (i32.store (local.get $second) (local.get $secondWord))
        (local.set $first (i32.add (local.get $first) (i32.const 4)))
        (local.set $second (i32.add (local.get $second) (i32.const 4)))
        (br_if $eachWord (i32.lt_u (local.get $at) (local.get $to))))
      (local.set $all
        (f64.add (f64x2.extract_lane 0 (local.get $product)) (f64x2.extract_lane 1 (local.get $product))))
      (f32.store
        (local.get $factors)
        (if (result f32) (f64.gt (local.get $all) (f64.const 0))
          (then
            (f32.demote_f64
              (f64.div
                (f64.add (f64x2.extract_lane 0 (local.get $square)) (f64x2.extract_lane 1 (local.get $square)))
                (local.get $all))))
          (else (f32.const 0))))
      (local.set $factors (i32.add (local.get $factors) (i32.const 4)))
      (local.set $perLengths (i32.add (local.get $perLengths) (i32.const 8)))
      (br_if $eachVector (i32.lt_u (local.get $vectors) (local.get $vectorsEnd))))))
