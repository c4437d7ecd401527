(; Products of many vectors of int8 with one query of int16, 16 numbers at a time. All addresses are in bytes.
   Vectors lie one after the other from $vectors to $vectorsEnd, the query from $query to $queryEnd; both have as many
   numbers, a multiple of 16. Stores an int32 for each vector, one after the other, from $products on. ;)
(module
  (import "js" "memory" (memory 1))
  (func (export "run")
    (param $vectors i32) (param $vectorsEnd i32) (param $query i32) (param $queryEnd i32) (param $products i32)
    (local $at i32) (local $sums v128) (local $vector v128)
    (loop $eachVector
      (local.set $sums (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $query))
      (loop $eachSixteen
        (local.set $vector (v128.load (local.get $vectors)))
        (local.set $sums
          (i32x4.add
            (i32x4.add
              (local.get $sums)
              (i32x4.dot_i16x8_s
                (i16x8.extend_low_i8x16_s (local.get $vector))
                (v128.load (local.get $at))))
            (i32x4.dot_i16x8_s
              (i16x8.extend_high_i8x16_s (local.get $vector))
              (v128.load offset=16 (local.get $at)))))
        (local.set $vectors (i32.add (local.get $vectors) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $eachSixteen (i32.lt_u (local.get $at) (local.get $queryEnd))))
      (i32.store
        (local.get $products)
        (i32.add
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
            (i32x4.extract_lane 2 (local.get $sums)))
          (i32x4.extract_lane 3 (local.get $sums))))
      (local.set $products (i32.add (local.get $products) (i32.const 4)))
      (br_if $eachVector (i32.lt_u (local.get $vectors) (local.get $vectorsEnd))))))
